CREATE TABLE `compact_companies` (
	`id` blob PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`is_system` integer DEFAULT false NOT NULL,
	`in_deletion` integer DEFAULT false NOT NULL,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `compact_companies` (`id`, `name`, `is_system`, `in_deletion`, `metadata`, `created_at`, `updated_at`)
  select unhex(id, '-'),
    `name`,
    `is_system`,
    `in_deletion`,
    `metadata`,
    `created_at`,
    `updated_at`
  from companies;
--> statement-breakpoint
CREATE TABLE `compact_users` (
	`id` blob PRIMARY KEY NOT NULL,
	`company_id` blob NOT NULL,
	`type` text NOT NULL,
	`email` text NOT NULL,
	`password_hash` text NOT NULL,
	`first_name` text,
	`last_name` text,
	`middle_name` text,
	`may_biometry` integer DEFAULT true NOT NULL,
	`may_collection` integer DEFAULT true NOT NULL,
	`may_documents` integer DEFAULT true NOT NULL,
	`may_quality` integer DEFAULT true NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `compact_users` (`id`, `company_id`, `type`, `email`, `password_hash`, `first_name`, `last_name`, `middle_name`, `may_biometry`, `may_collection`, `may_documents`, `may_quality`, `is_active`, `metadata`, `created_at`, `updated_at`)
  select unhex(id, '-'),
    unhex(company_id, '-'),
    `type`,
    `email`,
    `password_hash`,
    `first_name`,
    `last_name`,
    `middle_name`,
    `may_biometry`,
    `may_collection`,
    `may_documents`,
    `may_quality`,
    `is_active`,
    `metadata`,
    `created_at`,
    `updated_at`
  from users;
--> statement-breakpoint
CREATE TABLE `compact_sessions` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`access_hash` text NOT NULL,
	`expire_hash` text NOT NULL,
	`ttl_ms` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`replaces` blob,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `compact_sessions` (`number`, `id`, `user_id`, `access_hash`, `expire_hash`, `ttl_ms`, `expires_at`, `replaces`, `created_at`)
  select `number`,
    unhex(id, '-'),
    unhex(user_id, '-'),
    `access_hash`,
    `expire_hash`,
    `ttl_ms`,
    `expires_at`,
    unhex(replaces, '-'),
    `created_at`
  from sessions;
--> statement-breakpoint
CREATE TABLE `compact_media` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` blob NOT NULL,
	`folder_number` integer NOT NULL,
	`tags` text NOT NULL,
	`original_name` text,
	`original` text NOT NULL,
	`thumbnail` text NOT NULL,
	`sample` text,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`folder_number`) REFERENCES `folders`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `compact_media` (`number`, `id`, `folder_number`, `tags`, `original_name`, `original`, `thumbnail`, `sample`, `metadata`, `created_at`, `updated_at`)
  select media.rowid,
    unhex(media.id, '-'),
    folders.rowid,
    media.tags,
    `original_name`,
    iif(original -> '$.clip' is null,
      json_array(original ->> '$.md5', original ->> '$.size', original ->> '$.width', original ->> '$.height', original ->> '$.mimeType'),
      json_array(original ->> '$.md5', original ->> '$.size', original ->> '$.width', original ->> '$.height', original ->> '$.mimeType', json(original -> '$.clip'))),
    json_array(thumbnail ->> '$.md5', thumbnail ->> '$.size', thumbnail ->> '$.width', thumbnail ->> '$.height', thumbnail ->> '$.mimeType'),
    iif(sample is null, null, iif(sample -> '$.clip' is null,
    json_array(sample ->> '$.faces', sample ->> '$.quarterTurns', json(iif(sample ->> '$.quality' is null, null, json_array(
      round(sample ->> '$.quality.faceSide', 1),
      round(sample ->> '$.quality.faceShare', 4),
      round(sample ->> '$.quality.sharpness', 4),
      round(sample ->> '$.quality.brightness', 4),
      round(sample ->> '$.quality.underexposed', 4),
      round(sample ->> '$.quality.overexposed', 4),
      round(sample ->> '$.quality.noise', 2),
      round(sample ->> '$.quality.pose.yaw', 1),
      round(sample ->> '$.quality.pose.pitch', 1),
      round(sample ->> '$.quality.pose.roll', 1),
      round(sample ->> '$.quality.eyesHidden', 4),
      round(sample ->> '$.quality.mouthHidden', 4))))),
    json_array(sample ->> '$.faces', sample ->> '$.quarterTurns', json(iif(sample ->> '$.quality' is null, null, json_array(
      round(sample ->> '$.quality.faceSide', 1),
      round(sample ->> '$.quality.faceShare', 4),
      round(sample ->> '$.quality.sharpness', 4),
      round(sample ->> '$.quality.brightness', 4),
      round(sample ->> '$.quality.underexposed', 4),
      round(sample ->> '$.quality.overexposed', 4),
      round(sample ->> '$.quality.noise', 2),
      round(sample ->> '$.quality.pose.yaw', 1),
      round(sample ->> '$.quality.pose.pitch', 1),
      round(sample ->> '$.quality.pose.roll', 1),
      round(sample ->> '$.quality.eyesHidden', 4),
      round(sample ->> '$.quality.mouthHidden', 4)))), json(sample -> '$.clip')))),
    media.metadata,
    media.created_at,
    media.updated_at
  from media inner join folders on folders.id = media.folder_id order by media.rowid;
--> statement-breakpoint
CREATE TABLE `compact_findings` (
	`medium_number` integer PRIMARY KEY NOT NULL,
	`models` text NOT NULL,
	`found` text NOT NULL,
	`template` blob,
	FOREIGN KEY (`medium_number`) REFERENCES `media`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `compact_findings` (`medium_number`, `models`, `found`, `template`)
  select media.rowid,
    `models`,
    `found`,
    `template`
  from findings inner join media on media.id = findings.medium_id order by media.rowid;
--> statement-breakpoint
CREATE TABLE `compact_folder_leaves` (
	`owner` integer NOT NULL,
	`path` text NOT NULL,
	`value` text NOT NULL,
	`company_id` blob,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`owner`, `path`),
	FOREIGN KEY (`owner`) REFERENCES `folders`(`number`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `compact_folder_leaves` (`owner`, `path`, `value`, `company_id`, `created_at`)
  select folders.rowid,
    `path`,
    `value`,
    unhex(folder_leaves.company_id, '-'),
    folder_leaves.created_at
  from folder_leaves inner join folders on folders.id = folder_leaves.owner_id order by folders.rowid, path;
--> statement-breakpoint
CREATE TABLE `compact_analyses` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` blob NOT NULL,
	`folder_number` integer NOT NULL,
	`company_id` blob,
	`group_id` blob NOT NULL,
	`type` integer NOT NULL,
	`state` integer NOT NULL,
	`resolution_status` integer NOT NULL,
	`system_resolution` integer NOT NULL,
	`parameters` text NOT NULL,
	`evidence` text,
	`media` blob NOT NULL,
	`output_images` text,
	`models` text,
	`failure` text,
	`operator` text,
	`metadata` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer,
	`leased_by` text,
	`started_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`folder_number`) REFERENCES `folders`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `compact_analyses` (`number`, `id`, `folder_number`, `company_id`, `group_id`, `type`, `state`, `resolution_status`, `system_resolution`, `parameters`, `evidence`, `media`, `output_images`, `models`, `failure`, `operator`, `metadata`, `attempts`, `due_at`, `leased_by`, `started_at`, `created_at`, `updated_at`)
  select analyses.rowid,
    unhex(analyses.id, '-'),
    folders.rowid,
    unhex(analyses.company_id, '-'),
    unhex(group_id, '-'),
    case type when 'BIOMETRY' then 0 when 'COLLECTION' then 1 when 'DOCUMENTS' then 2 when 'QUALITY' then 3 end,
    case state when 'FAILED' then 0 when 'FINISHED' then 1 when 'PROCESSING' then 2 end,
    case analyses.resolution_status when 'DECLINED' then 0 when 'FAILED' then 1 when 'FINISHED' then 2 when 'INITIAL' then 3 when 'OPERATOR_REQUIRED' then 4 when 'PROCESSING' then 5 when 'SUCCESS' then 6 end,
    case analyses.system_resolution when 'DECLINED' then 0 when 'FAILED' then 1 when 'FINISHED' then 2 when 'INITIAL' then 3 when 'OPERATOR_REQUIRED' then 4 when 'PROCESSING' then 5 when 'SUCCESS' then 6 end,
    `parameters`,
    (with recursive shorter(evidence, place) as (
      select analyses.evidence, 0
      union all
      select replace(shorter.evidence, '"' || (analyses.media ->> ('$[' || place || '].mediumId')) || '"', '"#' || place || '"'), place + 1
      from shorter where place < json_array_length(analyses.media)
    ) select evidence from shorter where place = json_array_length(analyses.media)),
    coalesce(unhex((
      select group_concat((value ->> '$.associationId') || (value ->> '$.mediumId'), '') from json_each(analyses.media)
    ), '-'), x''),
    iif(exists (select 1 from json_each(analyses.media) where json_array_length(value, '$.outputImages') > 0), (
      select json_group_array(json((
        select json_group_array(json_array(
          image.value ->> '$.id', image.value ->> '$.name', (image.value -> '$.original') ->> '$.md5', (image.value -> '$.original') ->> '$.size', (image.value -> '$.original') ->> '$.width', (image.value -> '$.original') ->> '$.height', (image.value -> '$.original') ->> '$.mimeType'))
        from json_each(medium.value, '$.outputImages') as image)))
      from json_each(analyses.media) as medium
    ), null),
    '[' || (models -> '$.profile') || ',' || (models -> '$.assurance') ||
      iif(json_array_length(models, '$.networks') = 0, ']', ',' || substr(models -> '$.networks', 2)),
    `failure`,
    `operator`,
    analyses.metadata,
    `attempts`,
    `due_at`,
    `leased_by`,
    `started_at`,
    analyses.created_at,
    analyses.updated_at
  from analyses inner join folders on folders.id = analyses.folder_id order by analyses.rowid;
--> statement-breakpoint
CREATE INDEX `compact_analyses_folder` ON `compact_analyses` (`folder_number`,`created_at`);
--> statement-breakpoint
CREATE TABLE `compact_outbox` (
	`id` blob PRIMARY KEY NOT NULL,
	`folder_id` blob NOT NULL,
	`url` text NOT NULL,
	`attempt` integer DEFAULT 1 NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`folder_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `compact_outbox` (`id`, `folder_id`, `url`, `attempt`, `due_at`, `created_at`)
  select unhex(id, '-'),
    unhex(folder_id, '-'),
    `url`,
    `attempt`,
    `due_at`,
    `created_at`
  from outbox;
--> statement-breakpoint
CREATE TABLE `compact_deliveries` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` blob NOT NULL,
	`folder_id` blob NOT NULL,
	`company_id` blob,
	`attempt` integer NOT NULL,
	`status` integer,
	`reason` text,
	`at` integer NOT NULL,
	FOREIGN KEY (`folder_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `compact_deliveries` (`number`, `event_id`, `folder_id`, `company_id`, `attempt`, `status`, `reason`, `at`)
  select `number`,
    unhex(event_id, '-'),
    unhex(folder_id, '-'),
    unhex(company_id, '-'),
    `attempt`,
    `status`,
    `reason`,
    `at`
  from deliveries;
--> statement-breakpoint
CREATE TABLE `compact_usage` (
	`company_id` blob NOT NULL,
	`day` text NOT NULL,
	`type` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`company_id`, `day`, `type`)
);
--> statement-breakpoint
INSERT INTO `compact_usage` (`company_id`, `day`, `type`, `count`)
  select unhex(company_id, '-'),
    `day`,
    `type`,
    `count`
  from usage;
--> statement-breakpoint
CREATE TABLE `compact_folders` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` blob NOT NULL,
	`company_id` blob,
	`user_id` blob,
	`resolution_endpoint` text,
	`resolution_status` integer NOT NULL,
	`system_resolution` integer NOT NULL,
	`operator_status` text,
	`operator_comment` text,
	`review_author_id` blob,
	`review_at` integer,
	`is_cleared` integer DEFAULT false NOT NULL,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`analysed` integer DEFAULT 0 NOT NULL,
	`first_analysis_at` integer,
	`last_analysis_at` integer,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `compact_folders` (`number`, `id`, `company_id`, `user_id`, `resolution_endpoint`, `resolution_status`, `system_resolution`, `operator_status`, `operator_comment`, `review_author_id`, `review_at`, `is_cleared`, `metadata`, `created_at`, `updated_at`, `analysed`, `first_analysis_at`, `last_analysis_at`)
  select folders.rowid,
    unhex(id, '-'),
    unhex(company_id, '-'),
    unhex(user_id, '-'),
    `resolution_endpoint`,
    case resolution_status when 'DECLINED' then 0 when 'FAILED' then 1 when 'FINISHED' then 2 when 'INITIAL' then 3 when 'OPERATOR_REQUIRED' then 4 when 'PROCESSING' then 5 when 'SUCCESS' then 6 end,
    case system_resolution when 'DECLINED' then 0 when 'FAILED' then 1 when 'FINISHED' then 2 when 'INITIAL' then 3 when 'OPERATOR_REQUIRED' then 4 when 'PROCESSING' then 5 when 'SUCCESS' then 6 end,
    `operator_status`,
    `operator_comment`,
    unhex(review_author_id, '-'),
    `review_at`,
    `is_cleared`,
    `metadata`,
    `created_at`,
    `updated_at`,
    coalesce((
      select sum(bit) from (
        select 1 << type as bit from compact_analyses where folder_number = folders.rowid
        union select 1 << (4 + state) from compact_analyses where folder_number = folders.rowid
        union select 1 << (7 + resolution_status) from compact_analyses where folder_number = folders.rowid
      )), 0),
    (select min(created_at) from compact_analyses where folder_number = folders.rowid),
    (select max(created_at) from compact_analyses where folder_number = folders.rowid)
  from folders order by folders.rowid;
--> statement-breakpoint
DROP INDEX `compact_analyses_folder`;
--> statement-breakpoint
DROP TABLE `findings`;
--> statement-breakpoint
DROP TABLE `outbox`;
--> statement-breakpoint
DROP TABLE `deliveries`;
--> statement-breakpoint
DROP TABLE `folder_leaves`;
--> statement-breakpoint
DROP TABLE `analyses`;
--> statement-breakpoint
DROP TABLE `media`;
--> statement-breakpoint
DROP TABLE `folders`;
--> statement-breakpoint
DROP TABLE `sessions`;
--> statement-breakpoint
DROP TABLE `users`;
--> statement-breakpoint
DROP TABLE `companies`;
--> statement-breakpoint
DROP TABLE `usage`;
--> statement-breakpoint
ALTER TABLE `compact_companies` RENAME TO `companies`;
--> statement-breakpoint
ALTER TABLE `compact_users` RENAME TO `users`;
--> statement-breakpoint
ALTER TABLE `compact_sessions` RENAME TO `sessions`;
--> statement-breakpoint
ALTER TABLE `compact_media` RENAME TO `media`;
--> statement-breakpoint
ALTER TABLE `compact_findings` RENAME TO `findings`;
--> statement-breakpoint
ALTER TABLE `compact_folder_leaves` RENAME TO `folder_leaves`;
--> statement-breakpoint
ALTER TABLE `compact_analyses` RENAME TO `analyses`;
--> statement-breakpoint
ALTER TABLE `compact_outbox` RENAME TO `outbox`;
--> statement-breakpoint
ALTER TABLE `compact_deliveries` RENAME TO `deliveries`;
--> statement-breakpoint
ALTER TABLE `compact_usage` RENAME TO `usage`;
--> statement-breakpoint
ALTER TABLE `compact_folders` RENAME TO `folders`;
--> statement-breakpoint
CREATE UNIQUE INDEX `companies_system` ON `companies` (`is_system`) WHERE "companies"."is_system" = 1;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);
--> statement-breakpoint
CREATE INDEX `users_company` ON `users` (`company_id`,`created_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_access` ON `sessions` (`access_hash`);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_expire` ON `sessions` (`expire_hash`);
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);
--> statement-breakpoint
CREATE INDEX `sessions_end` ON `sessions` (`expires_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `media_id` ON `media` (`id`);
--> statement-breakpoint
CREATE INDEX `media_folder` ON `media` (`folder_number`,`created_at`);
--> statement-breakpoint
CREATE INDEX `folder_leaves_value` ON `folder_leaves` (`path`,`value`,`created_at`,`owner`,`company_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `analyses_id` ON `analyses` (`id`);
--> statement-breakpoint
CREATE INDEX `analyses_folder` ON `analyses` (`folder_number`,`type`,`created_at`);
--> statement-breakpoint
CREATE INDEX `analyses_due` ON `analyses` (`company_id`,`due_at`) WHERE "analyses"."state" = 2;
--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`due_at`);
--> statement-breakpoint
CREATE INDEX `outbox_folder` ON `outbox` (`folder_id`);
--> statement-breakpoint
CREATE INDEX `deliveries_company` ON `deliveries` (`company_id`,`at`);
--> statement-breakpoint
CREATE INDEX `deliveries_folder` ON `deliveries` (`folder_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `folders_id` ON `folders` (`id`);
--> statement-breakpoint
CREATE INDEX `folders_company_created` ON `folders` (`company_id`,`created_at`,`analysed`,`first_analysis_at`,`last_analysis_at`);
--> statement-breakpoint
CREATE INDEX `folders_company_updated` ON `folders` (`company_id`,`updated_at`,`created_at`);
--> statement-breakpoint
CREATE INDEX `folders_company_status` ON `folders` (`company_id`,`resolution_status`,`created_at`);
--> statement-breakpoint
CREATE INDEX `folders_company_system` ON `folders` (`company_id`,`system_resolution`,`created_at`);
--> statement-breakpoint
CREATE INDEX `folders_user` ON `folders` (`user_id`,`created_at`,`company_id`,`updated_at`,`resolution_status`,`system_resolution`,`operator_status`,`is_cleared`,`analysed`,`first_analysis_at`,`last_analysis_at`);
--> statement-breakpoint
CREATE INDEX `folders_created` ON `folders` (`created_at`,`analysed`,`first_analysis_at`,`last_analysis_at`);
--> statement-breakpoint
CREATE INDEX `folders_updated` ON `folders` (`updated_at`,`created_at`);
--> statement-breakpoint
CREATE INDEX `folders_status` ON `folders` (`resolution_status`,`created_at`);
--> statement-breakpoint
CREATE INDEX `folders_system` ON `folders` (`system_resolution`,`created_at`);
--> statement-breakpoint
CREATE INDEX `folders_company_cleared` ON `folders` (`company_id`,`is_cleared`,`created_at`) WHERE "folders"."is_cleared" = 1;
--> statement-breakpoint
CREATE INDEX `folders_cleared` ON `folders` (`is_cleared`,`created_at`) WHERE "folders"."is_cleared" = 1;
--> statement-breakpoint
CREATE INDEX `folders_company_operator` ON `folders` (`company_id`,`operator_status`,`created_at`) WHERE "folders"."operator_status" is not null;
--> statement-breakpoint
CREATE INDEX `folders_operator` ON `folders` (`operator_status`,`created_at`) WHERE "folders"."operator_status" is not null;
