CREATE TABLE `analyses` (
	`id` text PRIMARY KEY NOT NULL,
	`folder_id` text NOT NULL,
	`company_id` text,
	`group_id` text NOT NULL,
	`type` text NOT NULL,
	`state` text NOT NULL,
	`resolution_status` text NOT NULL,
	`system_resolution` text NOT NULL,
	`parameters` text NOT NULL,
	`evidence` text,
	`media` text NOT NULL,
	`models` text,
	`failure` text,
	`operator` text,
	`metadata` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer,
	`leased_by` text,
	`started_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`folder_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `analyses_folder` ON `analyses` (`folder_id`,`type`,`resolution_status`,`created_at`);--> statement-breakpoint
CREATE INDEX `analyses_due` ON `analyses` (`company_id`,`due_at`) WHERE "analyses"."state" = 'PROCESSING';--> statement-breakpoint
CREATE TABLE `blob_removals` (
	`key` text PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `blob_removals_due` ON `blob_removals` (`due_at`);--> statement-breakpoint
CREATE TABLE `companies` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`is_system` integer DEFAULT false NOT NULL,
	`in_deletion` integer DEFAULT false NOT NULL,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `companies_system` ON `companies` (`is_system`) WHERE "companies"."is_system" = 1;--> statement-breakpoint
CREATE TABLE `deliveries` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` text NOT NULL,
	`folder_id` text NOT NULL,
	`company_id` text,
	`attempt` integer NOT NULL,
	`status` integer,
	`reason` text,
	`at` integer NOT NULL,
	FOREIGN KEY (`folder_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `deliveries_company` ON `deliveries` (`company_id`,`at`);--> statement-breakpoint
CREATE INDEX `deliveries_folder` ON `deliveries` (`folder_id`);--> statement-breakpoint
CREATE TABLE `findings` (
	`medium_id` text PRIMARY KEY NOT NULL,
	`models` text NOT NULL,
	`found` text NOT NULL,
	`template` blob,
	FOREIGN KEY (`medium_id`) REFERENCES `media`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `folder_leaves` (
	`owner_id` text NOT NULL,
	`path` text NOT NULL,
	`value` text NOT NULL,
	`company_id` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`owner_id`, `path`),
	FOREIGN KEY (`owner_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `folder_leaves_value` ON `folder_leaves` (`path`,`value`,`created_at`,`company_id`,`owner_id`);--> statement-breakpoint
CREATE TABLE `folders` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` text,
	`user_id` text,
	`resolution_endpoint` text,
	`resolution_status` text NOT NULL,
	`system_resolution` text NOT NULL,
	`operator_status` text,
	`operator_comment` text,
	`review_author_id` text,
	`review_at` integer,
	`is_cleared` integer DEFAULT false NOT NULL,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `folders_company_created` ON `folders` (`company_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `folders_company_updated` ON `folders` (`company_id`,`updated_at`);--> statement-breakpoint
CREATE INDEX `folders_company_status` ON `folders` (`company_id`,`resolution_status`,`created_at`);--> statement-breakpoint
CREATE INDEX `folders_company_system` ON `folders` (`company_id`,`system_resolution`,`created_at`);--> statement-breakpoint
CREATE INDEX `folders_user` ON `folders` (`user_id`,`created_at`,`company_id`,`id`);--> statement-breakpoint
CREATE INDEX `folders_created` ON `folders` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `folders_updated` ON `folders` (`updated_at`);--> statement-breakpoint
CREATE INDEX `folders_status` ON `folders` (`resolution_status`,`created_at`);--> statement-breakpoint
CREATE INDEX `folders_system` ON `folders` (`system_resolution`,`created_at`);--> statement-breakpoint
CREATE INDEX `folders_cleared` ON `folders` (`is_cleared`,`created_at`) WHERE "folders"."is_cleared" = 1;--> statement-breakpoint
CREATE INDEX `folders_operator` ON `folders` (`operator_status`,`created_at`) WHERE "folders"."operator_status" is not null;--> statement-breakpoint
CREATE TABLE `media` (
	`id` text PRIMARY KEY NOT NULL,
	`folder_id` text NOT NULL,
	`tags` text NOT NULL,
	`original_name` text,
	`original` text NOT NULL,
	`thumbnail` text NOT NULL,
	`sample` text,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`folder_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `media_folder` ON `media` (`folder_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`folder_id` text NOT NULL,
	`url` text NOT NULL,
	`attempt` integer DEFAULT 1 NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`folder_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`due_at`);--> statement-breakpoint
CREATE INDEX `outbox_folder` ON `outbox` (`folder_id`);--> statement-breakpoint
CREATE TABLE `secrets` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`access_hash` text NOT NULL,
	`expire_hash` text NOT NULL,
	`ttl_ms` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`replaces` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_access` ON `sessions` (`access_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_expire` ON `sessions` (`expire_hash`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_end` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `usage` (
	`company_id` text NOT NULL,
	`day` text NOT NULL,
	`type` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`company_id`, `day`, `type`)
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` text NOT NULL,
	`type` text NOT NULL,
	`email` text NOT NULL,
	`password_hash` text NOT NULL,
	`first_name` text,
	`last_name` text,
	`middle_name` text,
	`may_biometry` integer DEFAULT true NOT NULL,
	`may_collection` integer DEFAULT true NOT NULL,
	`may_documents` integer DEFAULT true NOT NULL,
	`may_quality` integer DEFAULT true NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);--> statement-breakpoint
CREATE INDEX `users_company` ON `users` (`company_id`,`created_at`);