CREATE TABLE `decisions` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` blob NOT NULL,
	`folder_number` integer NOT NULL,
	`analysis_ids` blob NOT NULL,
	`status` text,
	`reason` text,
	`comment` text NOT NULL,
	`author_id` blob NOT NULL,
	`state_hash` text,
	`is_effective` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`folder_number`) REFERENCES `folders`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `decisions_folder` ON `decisions` (`folder_number`,`number`);--> statement-breakpoint
ALTER TABLE `folders` ADD `waiting_required` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `folders` ADD `waiting_declined` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `folders` ADD `waiting_failed` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `folders` ADD `waiting_since` integer;--> statement-breakpoint
ALTER TABLE `folders` ADD `viewer_id` blob;--> statement-breakpoint
ALTER TABLE `folders` ADD `viewed_until` integer;--> statement-breakpoint
CREATE INDEX `folders_waiting_required` ON `folders` (`waiting_since`,`company_id`) WHERE "folders"."waiting_required" > 0;--> statement-breakpoint
CREATE INDEX `folders_waiting_declined` ON `folders` (`waiting_since`,`company_id`) WHERE "folders"."waiting_declined" > 0;--> statement-breakpoint
CREATE INDEX `folders_waiting_failed` ON `folders` (`waiting_since`,`company_id`) WHERE "folders"."waiting_failed" > 0;--> statement-breakpoint
-- The newest decisions are known: on analyses, and on folders that have none of the same time. The latter decide what did not pass and has no decision.
INSERT INTO `decisions` (`id`, `folder_number`, `analysis_ids`, `status`, `comment`, `author_id`, `created_at`)
SELECT randomblob(16), `folder_number`, `id`, `operator` ->> 'decision', coalesce(`operator` ->> 'comment', ''), unhex(replace(`operator` ->> 'authorId', '-', '')), `operator` ->> 'atMs'
FROM `analyses`
WHERE CASE WHEN json_valid(`operator`) THEN unhex(replace(`operator` ->> 'authorId', '-', '')) IS NOT NULL AND `operator` ->> 'atMs' IS NOT NULL ELSE 0 END
ORDER BY `operator` ->> 'atMs';--> statement-breakpoint
INSERT INTO `decisions` (`id`, `folder_number`, `analysis_ids`, `status`, `comment`, `author_id`, `created_at`)
SELECT randomblob(16), `number`, coalesce((SELECT unhex(group_concat(hex(`id`), '')) FROM `analyses` WHERE `folder_number` = `folders`.`number` AND `operator` IS NULL AND `analyses`.`system_resolution` IN (0, 1, 4) AND `analyses`.`created_at` <= `folders`.`review_at` AND `folders`.`operator_status` IN ('SUCCESS', 'DECLINED') AND `folders`.`is_cleared` = 0), zeroblob(0)), `operator_status`, coalesce(`operator_comment`, ''), `review_author_id`, `review_at`
FROM `folders`
WHERE `review_author_id` IS NOT NULL AND `review_at` IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM `decisions` WHERE `decisions`.`folder_number` = `folders`.`number` AND `decisions`.`created_at` = `folders`.`review_at`);--> statement-breakpoint
UPDATE `analyses` SET
	`operator` = json_object('decision', `decisions`.`status`, 'comment', `decisions`.`comment`, 'authorId', lower(substr(hex(`decisions`.`author_id`), 1, 8) || '-' || substr(hex(`decisions`.`author_id`), 9, 4) || '-' || substr(hex(`decisions`.`author_id`), 13, 4) || '-' || substr(hex(`decisions`.`author_id`), 17, 4) || '-' || substr(hex(`decisions`.`author_id`), 21)), 'atMs', `decisions`.`created_at`),
	-- 1: the state FINISHED. One that failed stays failed. 6: SUCCESS.
	`resolution_status` = CASE WHEN `state` <> 1 THEN `resolution_status` WHEN `decisions`.`status` = 'SUCCESS' THEN 6 ELSE 0 END
FROM `decisions`
WHERE `decisions`.`folder_number` = `analyses`.`folder_number` AND `analyses`.`operator` IS NULL AND instr(`decisions`.`analysis_ids`, `analyses`.`id`) > 0;--> statement-breakpoint
-- Results are stored by their place among the words: 0 DECLINED, 1 FAILED, 4 OPERATOR_REQUIRED. Older runs of an analysis count too, until their folder changes.
UPDATE `folders` SET
	`waiting_required` = (SELECT count(*) FROM `analyses` WHERE `folder_number` = `folders`.`number` AND `operator` IS NULL AND `analyses`.`system_resolution` = 4),
	`waiting_declined` = (SELECT count(*) FROM `analyses` WHERE `folder_number` = `folders`.`number` AND `operator` IS NULL AND `analyses`.`system_resolution` = 0),
	`waiting_failed` = (SELECT count(*) FROM `analyses` WHERE `folder_number` = `folders`.`number` AND `operator` IS NULL AND `analyses`.`system_resolution` = 1),
	`waiting_since` = (SELECT min(`created_at`) FROM `analyses` WHERE `folder_number` = `folders`.`number` AND `operator` IS NULL AND `analyses`.`system_resolution` IN (0, 1, 4))
WHERE `is_cleared` = 0 AND `system_resolution` IN (0, 1, 4);
