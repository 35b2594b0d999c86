CREATE TABLE `used_session_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `used_session_tokens_end` ON `used_session_tokens` (`expires_at`);--> statement-breakpoint
ALTER TABLE `analyses` ADD `decline_reason` text;--> statement-breakpoint
ALTER TABLE `media` ADD `capture` text;