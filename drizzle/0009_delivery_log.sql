CREATE TABLE `__new_deliveries` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` blob NOT NULL,
	`folder_id` blob,
	`link_id` blob,
	`state` text,
	`company_id` blob,
	`attempt` integer NOT NULL,
	`status` integer,
	`reason` text,
	`at` integer NOT NULL,
	FOREIGN KEY (`folder_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`link_id`) REFERENCES `capture_links`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_deliveries`("number", "event_id", "folder_id", "company_id", "attempt", "status", "reason", "at") SELECT "number", "event_id", "folder_id", "company_id", "attempt", "status", "reason", "at" FROM `deliveries`;--> statement-breakpoint
DROP TABLE `deliveries`;--> statement-breakpoint
ALTER TABLE `__new_deliveries` RENAME TO `deliveries`;--> statement-breakpoint
CREATE INDEX `deliveries_company` ON `deliveries` (`company_id`,`at`);--> statement-breakpoint
CREATE INDEX `deliveries_folder` ON `deliveries` (`folder_id`);--> statement-breakpoint
CREATE INDEX `deliveries_link` ON `deliveries` (`link_id`);--> statement-breakpoint
CREATE INDEX `deliveries_event` ON `deliveries` (`event_id`,`attempt`);--> statement-breakpoint
ALTER TABLE `outbox` ADD `leased_until` integer;