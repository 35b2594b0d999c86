ALTER TABLE `sessions` ADD `ends_by_ms` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `open_id` text;--> statement-breakpoint
CREATE UNIQUE INDEX `users_open_id` ON `users` (`open_id`);