ALTER TABLE `analyses` ADD `sandbox` text;--> statement-breakpoint
ALTER TABLE `companies` ADD `is_sandbox` integer DEFAULT false NOT NULL;