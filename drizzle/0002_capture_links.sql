CREATE TABLE `capture_link_folders` (
	`link_id` blob NOT NULL,
	`folder_number` integer NOT NULL,
	PRIMARY KEY(`link_id`, `folder_number`),
	FOREIGN KEY (`link_id`) REFERENCES `capture_links`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`folder_number`) REFERENCES `folders`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `capture_link_folders_folder` ON `capture_link_folders` (`folder_number`);--> statement-breakpoint
CREATE TABLE `capture_links` (
	`id` blob PRIMARY KEY NOT NULL,
	`company_id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`secret_hash` text NOT NULL,
	`mode` text NOT NULL,
	`analyses` text NOT NULL,
	`metadata` text NOT NULL,
	`language` text,
	`consent_text` text,
	`consent_hash` text,
	`return_url` text,
	`resolution_endpoint` text,
	`uses` integer NOT NULL,
	`used` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`opened_at` integer,
	`captured_at` integer,
	`withdrawn_at` integer,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `capture_links_secret` ON `capture_links` (`secret_hash`);--> statement-breakpoint
CREATE INDEX `capture_links_company` ON `capture_links` (`company_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `capture_links_created` ON `capture_links` (`created_at`);--> statement-breakpoint
CREATE INDEX `capture_links_end` ON `capture_links` (`expires_at`);