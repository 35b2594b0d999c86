ALTER TABLE `sessions` ADD `name` text;--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_id` ON `sessions` (`id`);