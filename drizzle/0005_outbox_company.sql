ALTER TABLE `outbox` ADD `company_id` blob;--> statement-breakpoint
CREATE INDEX `outbox_company` ON `outbox` (`company_id`,`due_at`);--> statement-breakpoint
UPDATE `outbox` SET `company_id` = (SELECT `company_id` FROM `folders` WHERE `folders`.`id` = `outbox`.`folder_id`);
