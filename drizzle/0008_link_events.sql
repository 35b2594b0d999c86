CREATE TABLE `__new_outbox` (
	`id` blob PRIMARY KEY NOT NULL,
	`folder_id` blob,
	`link_id` blob,
	`state` text,
	`company_id` blob,
	`url` text NOT NULL,
	`attempt` integer DEFAULT 1 NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`folder_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`link_id`) REFERENCES `capture_links`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_outbox`("id", "folder_id", "company_id", "url", "attempt", "due_at", "created_at") SELECT "id", "folder_id", "company_id", "url", "attempt", "due_at", "created_at" FROM `outbox`;--> statement-breakpoint
DROP TABLE `outbox`;--> statement-breakpoint
ALTER TABLE `__new_outbox` RENAME TO `outbox`;--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`due_at`);--> statement-breakpoint
CREATE INDEX `outbox_folder` ON `outbox` (`folder_id`);--> statement-breakpoint
CREATE INDEX `outbox_link` ON `outbox` (`link_id`);--> statement-breakpoint
CREATE INDEX `outbox_company` ON `outbox` (`company_id`,`due_at`);--> statement-breakpoint
ALTER TABLE `capture_links` ADD `state_endpoint` text;--> statement-breakpoint
ALTER TABLE `capture_links` ADD `told_state` text DEFAULT 'sent' NOT NULL;--> statement-breakpoint
CREATE INDEX `capture_links_untold` ON `capture_links` (`expires_at`) WHERE "capture_links"."state_endpoint" is not null and "capture_links"."told_state" <> 'expired';