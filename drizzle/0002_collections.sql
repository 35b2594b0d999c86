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
	`mean` real NOT NULL,
	`deviation` real NOT NULL,
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
CREATE INDEX `template_removals_at` ON `template_removals` (`at`);