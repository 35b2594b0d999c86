CREATE TABLE `report_templates` (
	`id` blob PRIMARY KEY NOT NULL,
	`company_id` blob NOT NULL,
	`name` text NOT NULL,
	`attachments` integer DEFAULT false NOT NULL,
	`metadata_fields` text NOT NULL,
	`html` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `report_templates_company` ON `report_templates` (`company_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `reports` (
	`id` blob PRIMARY KEY NOT NULL,
	`folder_id` blob NOT NULL,
	`company_id` blob,
	`user_id` blob,
	`author_id` blob NOT NULL,
	`template_id` blob NOT NULL,
	`template_name` text NOT NULL,
	`attachments` integer DEFAULT false NOT NULL,
	`pdf_size` integer NOT NULL,
	`html_size` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`folder_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `reports_folder` ON `reports` (`folder_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `reports_company` ON `reports` (`company_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `reports_user` ON `reports` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `reports_created` ON `reports` (`created_at`);