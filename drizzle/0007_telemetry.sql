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
CREATE INDEX `session_events_session` ON `session_events` (`session_id`,`created_at`);