ALTER TABLE `users` ADD `second_factor` text;--> statement-breakpoint
ALTER TABLE `users` ADD `second_factor_step` integer;