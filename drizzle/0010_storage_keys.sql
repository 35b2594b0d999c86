CREATE TABLE `data_keys` (
	`owner_id` blob PRIMARY KEY NOT NULL,
	`kek` text NOT NULL,
	`wrapped` blob NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `data_keys_kek` ON `data_keys` (`kek`);