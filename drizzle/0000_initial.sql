CREATE TABLE `analyses` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` blob NOT NULL,
	`folder_number` integer NOT NULL,
	`company_id` blob,
	`group_id` blob NOT NULL,
	`type` integer NOT NULL,
	`state` integer NOT NULL,
	`resolution_status` integer NOT NULL,
	`system_resolution` integer NOT NULL,
	`parameters` text NOT NULL,
	`evidence` text,
	`media` blob NOT NULL,
	`output_images` text,
	`models` text,
	`details` text,
	`failure` text,
	`decline_reason` text,
	`operator` text,
	`metadata` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer,
	`leased_by` text,
	`started_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`folder_number`) REFERENCES `folders`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `analyses_id` ON `analyses` (`id`);--> statement-breakpoint
CREATE INDEX `analyses_folder` ON `analyses` (`folder_number`,`type`,`created_at`);--> statement-breakpoint
CREATE INDEX `analyses_due` ON `analyses` (`company_id`,`due_at`) WHERE "analyses"."state" = 2;--> statement-breakpoint
CREATE TABLE `blob_removals` (
	`key` text PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `blob_removals_due` ON `blob_removals` (`due_at`);--> statement-breakpoint
CREATE INDEX `blob_removals_failed` ON `blob_removals` (`attempts`) WHERE "blob_removals"."attempts" > 0;--> statement-breakpoint
CREATE TABLE `companies` (
	`id` blob PRIMARY KEY NOT NULL,
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
	`event_id` blob NOT NULL,
	`folder_id` blob NOT NULL,
	`company_id` blob,
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
	`medium_number` integer PRIMARY KEY NOT NULL,
	`models` text NOT NULL,
	`found` text NOT NULL,
	`template` blob,
	FOREIGN KEY (`medium_number`) REFERENCES `media`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `folder_leaves` (
	`owner` integer NOT NULL,
	`path` text NOT NULL,
	`value` text NOT NULL,
	`company_id` blob,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`owner`, `path`),
	FOREIGN KEY (`owner`) REFERENCES `folders`(`number`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `folder_leaves_value` ON `folder_leaves` (`path`,`value`,`created_at`,`owner`,`company_id`);--> statement-breakpoint
CREATE TABLE `folders` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` blob NOT NULL,
	`company_id` blob,
	`user_id` blob,
	`resolution_endpoint` text,
	`resolution_status` integer NOT NULL,
	`system_resolution` integer NOT NULL,
	`operator_status` text,
	`operator_comment` text,
	`review_author_id` blob,
	`review_at` integer,
	`is_cleared` integer DEFAULT false NOT NULL,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`analysed` integer DEFAULT 0 NOT NULL,
	`first_analysis_at` integer,
	`last_analysis_at` integer,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `folders_id` ON `folders` (`id`);--> statement-breakpoint
CREATE INDEX `folders_company_created` ON `folders` (`company_id`,`created_at`,`analysed`,`first_analysis_at`,`last_analysis_at`);--> statement-breakpoint
CREATE INDEX `folders_company_updated` ON `folders` (`company_id`,`updated_at`,`created_at`);--> statement-breakpoint
CREATE INDEX `folders_company_status` ON `folders` (`company_id`,`resolution_status`,`created_at`);--> statement-breakpoint
CREATE INDEX `folders_company_system` ON `folders` (`company_id`,`system_resolution`,`created_at`);--> statement-breakpoint
CREATE INDEX `folders_user` ON `folders` (`user_id`,`created_at`,`company_id`,`updated_at`,`resolution_status`,`system_resolution`,`operator_status`,`is_cleared`,`analysed`,`first_analysis_at`,`last_analysis_at`);--> statement-breakpoint
CREATE INDEX `folders_created` ON `folders` (`created_at`,`analysed`,`first_analysis_at`,`last_analysis_at`);--> statement-breakpoint
CREATE INDEX `folders_updated` ON `folders` (`updated_at`,`created_at`);--> statement-breakpoint
CREATE INDEX `folders_status` ON `folders` (`resolution_status`,`created_at`);--> statement-breakpoint
CREATE INDEX `folders_system` ON `folders` (`system_resolution`,`created_at`);--> statement-breakpoint
CREATE INDEX `folders_company_cleared` ON `folders` (`company_id`,`is_cleared`,`created_at`) WHERE "folders"."is_cleared" = 1;--> statement-breakpoint
CREATE INDEX `folders_cleared` ON `folders` (`is_cleared`,`created_at`) WHERE "folders"."is_cleared" = 1;--> statement-breakpoint
CREATE INDEX `folders_company_operator` ON `folders` (`company_id`,`operator_status`,`created_at`) WHERE "folders"."operator_status" is not null;--> statement-breakpoint
CREATE INDEX `folders_operator` ON `folders` (`operator_status`,`created_at`) WHERE "folders"."operator_status" is not null;--> statement-breakpoint
CREATE TABLE `media` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` blob NOT NULL,
	`folder_number` integer NOT NULL,
	`tags` text NOT NULL,
	`original_name` text,
	`original` text NOT NULL,
	`thumbnail` text NOT NULL,
	`sample` text,
	`capture` text,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`folder_number`) REFERENCES `folders`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `media_id` ON `media` (`id`);--> statement-breakpoint
CREATE INDEX `media_folder` ON `media` (`folder_number`,`created_at`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` blob PRIMARY KEY NOT NULL,
	`folder_id` blob NOT NULL,
	`company_id` blob,
	`url` text NOT NULL,
	`attempt` integer DEFAULT 1 NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`folder_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`due_at`);--> statement-breakpoint
CREATE INDEX `outbox_folder` ON `outbox` (`folder_id`);--> statement-breakpoint
CREATE INDEX `outbox_company` ON `outbox` (`company_id`,`due_at`);--> statement-breakpoint
CREATE TABLE `secrets` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`access_hash` text NOT NULL,
	`expire_hash` text NOT NULL,
	`ttl_ms` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`replaces` blob,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_access` ON `sessions` (`access_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_expire` ON `sessions` (`expire_hash`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_end` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `usage` (
	`company_id` blob NOT NULL,
	`day` text NOT NULL,
	`type` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`company_id`, `day`, `type`)
);
--> statement-breakpoint
CREATE TABLE `used_session_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `used_session_tokens_end` ON `used_session_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` blob PRIMARY KEY NOT NULL,
	`company_id` blob NOT NULL,
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
CREATE INDEX `users_company` ON `users` (`company_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `webhook_secrets` (
	`company_id` blob PRIMARY KEY NOT NULL,
	`secret` text NOT NULL,
	`previous` text,
	`previous_until` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `collections` (
	`id` blob PRIMARY KEY NOT NULL,
	`company_id` blob NOT NULL,
	`alias` text NOT NULL,
	`metadata` text NOT NULL,
	`templates` integer DEFAULT 0 NOT NULL,
	`removed_before` integer DEFAULT 0 NOT NULL,
	`in_deletion` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `collections_alias` ON `collections` (`company_id`,`alias`);--> statement-breakpoint
CREATE INDEX `collections_company` ON `collections` (`company_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `collections_created` ON `collections` (`created_at`);--> statement-breakpoint
CREATE TABLE `enrolled_templates` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`image_id` blob NOT NULL,
	`person_id` blob NOT NULL,
	`collection_id` blob NOT NULL,
	`models` text NOT NULL,
	`vector` blob NOT NULL,
	`threshold` real NOT NULL,
	`scale` real NOT NULL,
	FOREIGN KEY (`image_id`) REFERENCES `person_images`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `enrolled_templates_image` ON `enrolled_templates` (`image_id`);--> statement-breakpoint
CREATE INDEX `enrolled_templates_collection` ON `enrolled_templates` (`collection_id`,`models`);--> statement-breakpoint
CREATE INDEX `enrolled_templates_person` ON `enrolled_templates` (`person_id`);--> statement-breakpoint
CREATE INDEX `enrolled_templates_models` ON `enrolled_templates` (`models`);--> statement-breakpoint
CREATE TABLE `person_images` (
	`id` blob PRIMARY KEY NOT NULL,
	`person_id` blob NOT NULL,
	`tags` text NOT NULL,
	`original_name` text,
	`original` text NOT NULL,
	`thumbnail` text NOT NULL,
	`sample` text,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `persons`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `person_images_person` ON `person_images` (`person_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `persons` (
	`id` blob PRIMARY KEY NOT NULL,
	`collection_id` blob NOT NULL,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`collection_id`) REFERENCES `collections`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `persons_collection` ON `persons` (`collection_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `template_removals` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`collection_id` blob NOT NULL,
	`template_number` integer NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `template_removals_collection` ON `template_removals` (`collection_id`,`number`);--> statement-breakpoint
CREATE INDEX `template_removals_at` ON `template_removals` (`at`);--> statement-breakpoint
CREATE TABLE `device_settings` (
	`key` text PRIMARY KEY NOT NULL,
	`pattern` text NOT NULL,
	`settings` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `event_sessions` (
	`id` blob PRIMARY KEY NOT NULL,
	`company_id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`device` text NOT NULL,
	`events` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `event_sessions_company` ON `event_sessions` (`company_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `event_sessions_created` ON `event_sessions` (`created_at`);--> statement-breakpoint
CREATE INDEX `event_sessions_company_updated` ON `event_sessions` (`company_id`,`updated_at`);--> statement-breakpoint
CREATE INDEX `event_sessions_updated` ON `event_sessions` (`updated_at`);--> statement-breakpoint
CREATE TABLE `session_events` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` blob NOT NULL,
	`name` text NOT NULL,
	`happened_at` integer,
	`sent` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `event_sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `session_events_session` ON `session_events` (`session_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `statistics` (
	`span` integer NOT NULL,
	`start` integer NOT NULL,
	`company_id` blob NOT NULL,
	`type` integer NOT NULL,
	`resolution` integer NOT NULL,
	`count` integer NOT NULL,
	`latencies` text NOT NULL,
	`scores` text NOT NULL,
	PRIMARY KEY(`span`, `start`, `company_id`, `type`, `resolution`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `report_templates` (
	`id` blob PRIMARY KEY NOT NULL,
	`company_id` blob NOT NULL,
	`name` text NOT NULL,
	`attachments` integer DEFAULT false NOT NULL,
	`metadata_fields` text NOT NULL,
	`html` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `report_templates_company` ON `report_templates` (`company_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `reports` (
	`id` blob PRIMARY KEY NOT NULL,
	`folder_id` blob NOT NULL,
	`company_id` blob,
	`user_id` blob,
	`author_id` blob NOT NULL,
	`template_id` blob NOT NULL,
	`template_name` text NOT NULL,
	`attachments` integer DEFAULT false NOT NULL,
	`pdf_size` integer NOT NULL,
	`html_size` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`folder_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `reports_folder` ON `reports` (`folder_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `reports_company` ON `reports` (`company_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `reports_user` ON `reports` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `reports_created` ON `reports` (`created_at`);