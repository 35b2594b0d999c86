ALTER TABLE `blob_removals` ADD `attempts` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `blob_removals_failed` ON `blob_removals` (`attempts`) WHERE "blob_removals"."attempts" > 0;