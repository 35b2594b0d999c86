CREATE TABLE `webhook_secrets` (
	`company_id` blob PRIMARY KEY NOT NULL,
	`secret` text NOT NULL,
	`previous` text,
	`previous_until` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
