PRAGMA foreign_keys = OFF;
CREATE TABLE "__drizzle_migrations" (
			id SERIAL PRIMARY KEY,
			hash text NOT NULL,
			created_at numeric
		);
CREATE TABLE `analyses` (
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
	`details` text,
	`failure` text,
	`decline_reason` text,
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
CREATE TABLE `blob_removals` (
	`key` text PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL
);
CREATE TABLE `companies` (
	`id` blob PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`is_system` integer DEFAULT false NOT NULL,
	`in_deletion` integer DEFAULT false NOT NULL,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
CREATE TABLE `deliveries` (
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
CREATE TABLE `findings` (
	`medium_number` integer PRIMARY KEY NOT NULL,
	`models` text NOT NULL,
	`found` text NOT NULL,
	`template` blob,
	FOREIGN KEY (`medium_number`) REFERENCES `media`(`number`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `folder_leaves` (
	`owner` integer NOT NULL,
	`path` text NOT NULL,
	`value` text NOT NULL,
	`company_id` blob,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`owner`, `path`),
	FOREIGN KEY (`owner`) REFERENCES `folders`(`number`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
CREATE TABLE `folders` (
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
CREATE TABLE `media` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` blob NOT NULL,
	`folder_number` integer NOT NULL,
	`tags` text NOT NULL,
	`original_name` text,
	`original` text NOT NULL,
	`thumbnail` text NOT NULL,
	`sample` text,
	`capture` text,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`folder_number`) REFERENCES `folders`(`number`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `outbox` (
	`id` blob PRIMARY KEY NOT NULL,
	`folder_id` blob NOT NULL,
	`company_id` blob,
	`url` text NOT NULL,
	`attempt` integer DEFAULT 1 NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`folder_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `secrets` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
CREATE TABLE `sessions` (
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
CREATE TABLE `usage` (
	`company_id` blob NOT NULL,
	`day` text NOT NULL,
	`type` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`company_id`, `day`, `type`)
);
CREATE TABLE `used_session_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
CREATE TABLE `users` (
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
CREATE TABLE `webhook_secrets` (
	`company_id` blob PRIMARY KEY NOT NULL,
	`secret` text NOT NULL,
	`previous` text,
	`previous_until` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `collections` (
	`id` blob PRIMARY KEY NOT NULL,
	`company_id` blob NOT NULL,
	`alias` text NOT NULL,
	`metadata` text NOT NULL,
	`templates` integer DEFAULT 0 NOT NULL,
	`removed_before` integer DEFAULT 0 NOT NULL,
	`in_deletion` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `enrolled_templates` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`image_id` blob NOT NULL,
	`person_id` blob NOT NULL,
	`collection_id` blob NOT NULL,
	`models` text NOT NULL,
	`vector` blob NOT NULL,
	`threshold` real NOT NULL,
	`scale` real NOT NULL,
	FOREIGN KEY (`image_id`) REFERENCES `person_images`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `person_images` (
	`id` blob PRIMARY KEY NOT NULL,
	`person_id` blob NOT NULL,
	`tags` text NOT NULL,
	`original_name` text,
	`original` text NOT NULL,
	`thumbnail` text NOT NULL,
	`sample` text,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `persons`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `persons` (
	`id` blob PRIMARY KEY NOT NULL,
	`collection_id` blob NOT NULL,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`collection_id`) REFERENCES `collections`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `template_removals` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`collection_id` blob NOT NULL,
	`template_number` integer NOT NULL,
	`at` integer NOT NULL
);
CREATE TABLE `device_settings` (
	`key` text PRIMARY KEY NOT NULL,
	`pattern` text NOT NULL,
	`settings` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
CREATE TABLE `event_sessions` (
	`id` blob PRIMARY KEY NOT NULL,
	`company_id` blob NOT NULL,
	`user_id` blob NOT NULL,
	`device` text NOT NULL,
	`events` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `session_events` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` blob NOT NULL,
	`name` text NOT NULL,
	`happened_at` integer,
	`sent` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `event_sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `statistics` (
	`span` integer NOT NULL,
	`start` integer NOT NULL,
	`company_id` blob NOT NULL,
	`type` integer NOT NULL,
	`resolution` integer NOT NULL,
	`count` integer NOT NULL,
	`latencies` text NOT NULL,
	`scores` text NOT NULL,
	PRIMARY KEY(`span`, `start`, `company_id`, `type`, `resolution`)
) WITHOUT ROWID;
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
CREATE UNIQUE INDEX `analyses_id` ON `analyses` (`id`);
CREATE INDEX `analyses_folder` ON `analyses` (`folder_number`,`type`,`created_at`);
CREATE INDEX `analyses_due` ON `analyses` (`company_id`,`due_at`) WHERE "analyses"."state" = 2;
CREATE INDEX `blob_removals_due` ON `blob_removals` (`due_at`);
CREATE INDEX `blob_removals_failed` ON `blob_removals` (`attempts`) WHERE "blob_removals"."attempts" > 0;
CREATE UNIQUE INDEX `companies_system` ON `companies` (`is_system`) WHERE "companies"."is_system" = 1;
CREATE INDEX `deliveries_company` ON `deliveries` (`company_id`,`at`);
CREATE INDEX `deliveries_folder` ON `deliveries` (`folder_id`);
CREATE INDEX `folder_leaves_value` ON `folder_leaves` (`path`,`value`,`created_at`,`owner`,`company_id`);
CREATE UNIQUE INDEX `folders_id` ON `folders` (`id`);
CREATE INDEX `folders_company_created` ON `folders` (`company_id`,`created_at`,`analysed`,`first_analysis_at`,`last_analysis_at`);
CREATE INDEX `folders_company_updated` ON `folders` (`company_id`,`updated_at`,`created_at`);
CREATE INDEX `folders_company_status` ON `folders` (`company_id`,`resolution_status`,`created_at`);
CREATE INDEX `folders_company_system` ON `folders` (`company_id`,`system_resolution`,`created_at`);
CREATE INDEX `folders_user` ON `folders` (`user_id`,`created_at`,`company_id`,`updated_at`,`resolution_status`,`system_resolution`,`operator_status`,`is_cleared`,`analysed`,`first_analysis_at`,`last_analysis_at`);
CREATE INDEX `folders_created` ON `folders` (`created_at`,`analysed`,`first_analysis_at`,`last_analysis_at`);
CREATE INDEX `folders_updated` ON `folders` (`updated_at`,`created_at`);
CREATE INDEX `folders_status` ON `folders` (`resolution_status`,`created_at`);
CREATE INDEX `folders_system` ON `folders` (`system_resolution`,`created_at`);
CREATE INDEX `folders_company_cleared` ON `folders` (`company_id`,`is_cleared`,`created_at`) WHERE "folders"."is_cleared" = 1;
CREATE INDEX `folders_cleared` ON `folders` (`is_cleared`,`created_at`) WHERE "folders"."is_cleared" = 1;
CREATE INDEX `folders_company_operator` ON `folders` (`company_id`,`operator_status`,`created_at`) WHERE "folders"."operator_status" is not null;
CREATE INDEX `folders_operator` ON `folders` (`operator_status`,`created_at`) WHERE "folders"."operator_status" is not null;
CREATE UNIQUE INDEX `media_id` ON `media` (`id`);
CREATE INDEX `media_folder` ON `media` (`folder_number`,`created_at`);
CREATE INDEX `outbox_due` ON `outbox` (`due_at`);
CREATE INDEX `outbox_folder` ON `outbox` (`folder_id`);
CREATE INDEX `outbox_company` ON `outbox` (`company_id`,`due_at`);
CREATE UNIQUE INDEX `sessions_access` ON `sessions` (`access_hash`);
CREATE UNIQUE INDEX `sessions_expire` ON `sessions` (`expire_hash`);
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);
CREATE INDEX `sessions_end` ON `sessions` (`expires_at`);
CREATE INDEX `used_session_tokens_end` ON `used_session_tokens` (`expires_at`);
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);
CREATE INDEX `users_company` ON `users` (`company_id`,`created_at`);
CREATE UNIQUE INDEX `collections_alias` ON `collections` (`company_id`,`alias`);
CREATE INDEX `collections_company` ON `collections` (`company_id`,`created_at`);
CREATE INDEX `collections_created` ON `collections` (`created_at`);
CREATE UNIQUE INDEX `enrolled_templates_image` ON `enrolled_templates` (`image_id`);
CREATE INDEX `enrolled_templates_collection` ON `enrolled_templates` (`collection_id`,`models`);
CREATE INDEX `enrolled_templates_person` ON `enrolled_templates` (`person_id`);
CREATE INDEX `enrolled_templates_models` ON `enrolled_templates` (`models`);
CREATE INDEX `person_images_person` ON `person_images` (`person_id`,`created_at`);
CREATE INDEX `persons_collection` ON `persons` (`collection_id`,`created_at`,`id`);
CREATE INDEX `template_removals_collection` ON `template_removals` (`collection_id`,`number`);
CREATE INDEX `template_removals_at` ON `template_removals` (`at`);
CREATE INDEX `event_sessions_company` ON `event_sessions` (`company_id`,`created_at`);
CREATE INDEX `event_sessions_created` ON `event_sessions` (`created_at`);
CREATE INDEX `event_sessions_company_updated` ON `event_sessions` (`company_id`,`updated_at`);
CREATE INDEX `event_sessions_updated` ON `event_sessions` (`updated_at`);
CREATE INDEX `session_events_session` ON `session_events` (`session_id`,`created_at`);
CREATE INDEX `report_templates_company` ON `report_templates` (`company_id`,`created_at`);
CREATE INDEX `reports_folder` ON `reports` (`folder_id`,`created_at`);
CREATE INDEX `reports_company` ON `reports` (`company_id`,`created_at`);
CREATE INDEX `reports_user` ON `reports` (`user_id`,`created_at`);
CREATE INDEX `reports_created` ON `reports` (`created_at`);
INSERT INTO "__drizzle_migrations" ("id","hash","created_at") VALUES (NULL,'6721e217a6dcc3fa7eb886dcd875624a8e7077a1183e9d740248c59fd0c27698',1795737112282);
INSERT INTO "analyses" ("number","id","folder_number","company_id","group_id","type","state","resolution_status","system_resolution","parameters","evidence","media","output_images","models","details","failure","decline_reason","operator","metadata","attempts","due_at","leased_by","started_at","created_at","updated_at") VALUES (1,x'ddb3796a2b6443d096f8d7b65dc27403',1,x'f1d0c7ce66ef4692965f47bbb39d6113',x'02f14f3d0e0443b1ad4bd1f7fc1de6be',3,1,0,6,'{"thresholdSpoofing":0.5,"extractBestShot":true,"extractActionShot":false,"gate":"record","gestureRequired":false,"movementRequired":false,"challengeRequired":false}','{"results":[{"mediumId":"#0","attack":0.009622435402998763,"replay":0.055604055523872375,"liveness":null,"gesture":null},{"mediumId":"#1","attack":0.028314844851560248,"replay":0.0803596954792738,"liveness":null,"gesture":null}],"worstAttack":0.028314844851560248}',x'2a805e65236441108853d87a3dd58a92008be5f9a460438b9b4e8dd6473ba62b767bf95d15264389b9beb49e6decd2c8016fb550f91a4881ad34b8c29b4428e3','[[["ddb3796a-2b64-43d0-96f8-d7b65dc27404","best","f714c9eb89157370f235307ff6fe867c",137506,720,960,"image/jpeg"]],[["ddb3796a-2b64-43d0-96f8-d7b65dc27407","best","bf2209cd98931d318a74b9828eea2552",137426,720,960,"image/jpeg"]]]','["embedded","low","blazeface-back","facemesh-468","faceplugin-liveness","recapture-1"]',NULL,NULL,NULL,'{"decision":"DECLINED","comment":"drawn","authorId":"acf19d78-5d42-49c8-8b3b-6c85ff2e0795","atMs":1795741595765}','{}',0,NULL,NULL,NULL,1795741592258,1795741595765);
INSERT INTO "analyses" ("number","id","folder_number","company_id","group_id","type","state","resolution_status","system_resolution","parameters","evidence","media","output_images","models","details","failure","decline_reason","operator","metadata","attempts","due_at","leased_by","started_at","created_at","updated_at") VALUES (2,x'5a08dd9948644aa0b9ddfdc545c7f6f2',1,x'f1d0c7ce66ef4692965f47bbb39d6113',x'02f14f3d0e0443b1ad4bd1f7fc1de6be',3,1,6,6,'{"thresholdSpoofing":0.5,"extractBestShot":true,"extractActionShot":false,"gate":"record","gestureRequired":false,"movementRequired":false,"challengeRequired":false}','{"results":[{"mediumId":"#0","attack":0.23040156799989284,"replay":0.2790756821632385,"liveness":null,"gesture":null}],"worstAttack":0.23040156799989284}',x'63cd74e58d1c49a798f1300603602fa7aa88971159a745dcb2776d59002677e2','[[["5a08dd99-4864-4aa0-b9dd-fdc545c7f6f3","best","17b6efc37a194bc790443f037d8e787c",53940,900,640,"image/jpeg"]]]','["embedded","low","blazeface-back","facemesh-468","faceplugin-liveness","recapture-1"]',NULL,NULL,NULL,NULL,'{}',0,NULL,NULL,NULL,1795741592258,1795741595667);
INSERT INTO "analyses" ("number","id","folder_number","company_id","group_id","type","state","resolution_status","system_resolution","parameters","evidence","media","output_images","models","details","failure","decline_reason","operator","metadata","attempts","due_at","leased_by","started_at","created_at","updated_at") VALUES (3,x'31f4937976184d45855fe3e8bbf54f48',1,x'f1d0c7ce66ef4692965f47bbb39d6113',x'02f14f3d0e0443b1ad4bd1f7fc1de6be',0,1,6,6,'{"band":{"min":0.85,"max":0.85},"gate":"record"}','{"pairs":[{"score":0.9999998639923012,"distance":0.11414885649549143,"normalisedDistance":-14.075953152168957,"mediumIds":["#0","#1"]}],"cohortId":"cohort-2"}',x'10b7137dc2ab4186b40d276d9e913bf3008be5f9a460438b9b4e8dd6473ba62b5b00563f9cd947dfb6346e9473a76c47016fb550f91a4881ad34b8c29b4428e3',NULL,'["embedded","low","blazeface-back","facemesh-468","faceplugin-feature"]',NULL,NULL,NULL,NULL,'{}',0,NULL,NULL,NULL,1795741592258,1795741595668);
INSERT INTO "analyses" ("number","id","folder_number","company_id","group_id","type","state","resolution_status","system_resolution","parameters","evidence","media","output_images","models","details","failure","decline_reason","operator","metadata","attempts","due_at","leased_by","started_at","created_at","updated_at") VALUES (4,x'83984c8ab4f64163bc74955993c95727',1,x'f1d0c7ce66ef4692965f47bbb39d6113',x'02f14f3d0e0443b1ad4bd1f7fc1de6be',1,1,0,0,'{"collectionId":"b1129b0b-9952-46f9-8ae1-4dd5c5152674","band":{"min":0.85,"max":0.85},"countMax":10,"falseHitsMax":null,"gate":"record"}','{"found":[{"mediumId":"#0","hits":[{"personId":"4e75a5c2-8210-4e95-9058-55deff99ac40","imageId":"cd5c9d4c-3cf3-45c1-9f26-5794ff7d271a","score":0.9999999816347619,"distance":0,"normalisedDistance":-16.078205118993342}]},{"mediumId":"#1","hits":[{"personId":"4e75a5c2-8210-4e95-9058-55deff99ac40","imageId":"cd5c9d4c-3cf3-45c1-9f26-5794ff7d271a","score":0.9999998639923012,"distance":0.11414885649549143,"normalisedDistance":-14.075953152168957}]},{"mediumId":"#2","hits":[]}],"isComplete":true,"cohortId":"cohort-2"}',x'5232a9916f8c4dc49ab50fa311f7e76e008be5f9a460438b9b4e8dd6473ba62b45a5d4ee516148059d7eff14cad4f772016fb550f91a4881ad34b8c29b4428e3a55c777ac3944244885ebaaffc4bf0cdaa88971159a745dcb2776d59002677e2',NULL,'["embedded","low","blazeface-back","facemesh-468","faceplugin-feature"]',NULL,NULL,NULL,NULL,'{}',0,NULL,NULL,NULL,1795741592258,1795741595675);
INSERT INTO "analyses" ("number","id","folder_number","company_id","group_id","type","state","resolution_status","system_resolution","parameters","evidence","media","output_images","models","details","failure","decline_reason","operator","metadata","attempts","due_at","leased_by","started_at","created_at","updated_at") VALUES (5,x'121025840bb040bb8f10999da799fbb2',1,x'f1d0c7ce66ef4692965f47bbb39d6113',x'02f14f3d0e0443b1ad4bd1f7fc1de6be',2,1,0,0,'{"fieldsToCheck":null,"doublePageSpread":true}','{"document":{"kind":"passport","format":"TD3","issuingState":"UTO","zone":["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<","L898902C36UTO7408122F1204159ZE184226B<<<<<10"],"fields":[{"name":"document_code","visual":null,"visualConfidence":null,"mrz":"P","mrzConfidence":1,"result":"passed"},{"name":"issuing_state","visual":null,"visualConfidence":null,"mrz":"UTO","mrzConfidence":1,"result":"passed"},{"name":"document_number","visual":null,"visualConfidence":null,"mrz":"L898902C3","mrzConfidence":0.9967279935226293,"result":"passed"},{"name":"surname","visual":"ERIKSSON","visualConfidence":0.9805172234773636,"mrz":"ERIKSSON","mrzConfidence":1,"result":"passed"},{"name":"given_names","visual":"ANNA MARIA","visualConfidence":0.9400294489330716,"mrz":"ANNA MARIA","mrzConfidence":1,"result":"passed"},{"name":"nationality","visual":null,"visualConfidence":null,"mrz":"UTO","mrzConfidence":1,"result":"passed"},{"name":"birth_date","visual":null,"visualConfidence":null,"mrz":"1974-08-12","mrzConfidence":0.9988583343081395,"result":"passed"},{"name":"sex","visual":null,"visualConfidence":null,"mrz":"F","mrzConfidence":1,"result":"passed"},{"name":"expiry_date","visual":null,"visualConfidence":null,"mrz":"2012-04-15","mrzConfidence":0.999862209573103,"result":"failed"},{"name":"personal_number","visual":null,"visualConfidence":null,"mrz":"ZE184226B","mrzConfidence":0.9967279935226293,"result":"passed"}],"validity":{"checkDigits":"passed","expiry":"failed","dates":"passed","agreement":"passed","singleDocument":"passed"},"isProse":false,"unreadableZones":0,"isMirrored":false,"doublePageSpread":false,"hints":{"isScreen":null,"isCopy":true}},"media":[]}',x'de4a228d91014e69822f47cfa0b1be60aa88971159a745dcb2776d59002677e2','[[["12102584-0bb0-40bb-8f10-999da799fbb5","portrait","de914d97e6466cc0e7f3d9d1876e067e",12428,267,282,"image/jpeg",["284dcabb4ca6b94bbb9cb1d06cea1823",2878,120,127,"image/jpeg"]]]]','["embedded","low","blazeface-back","facemesh-468","mrz-lines-1","ppocr-v4-det","ppocr-v4-rec"]',NULL,NULL,'The document is declined: it has expired',NULL,'{}',0,NULL,NULL,NULL,1795741592258,1795741595695);
INSERT INTO "analyses" ("number","id","folder_number","company_id","group_id","type","state","resolution_status","system_resolution","parameters","evidence","media","output_images","models","details","failure","decline_reason","operator","metadata","attempts","due_at","leased_by","started_at","created_at","updated_at") VALUES (6,x'63dd941ff0784180b41535459e38a58b',2,x'f1d0c7ce66ef4692965f47bbb39d6113',x'9eae6a5dd0394f63a03f90ba527cd012',3,1,6,6,'{"thresholdSpoofing":0.5,"extractBestShot":true,"extractActionShot":false,"gate":"record","gestureRequired":false,"movementRequired":false,"challengeRequired":false}','{"results":[{"mediumId":"#0","attack":0.009622435402998763,"replay":0.055604055523872375,"liveness":null,"gesture":null}],"worstAttack":0.009622435402998763}',x'a003fceb32cb455d8d410b575c7a76ba4e65be66dfe94233946713a732ed73fd','[[["63dd941f-f078-4180-b415-35459e38a58c","best","f714c9eb89157370f235307ff6fe867c",137506,720,960,"image/jpeg"]]]','["embedded","low","blazeface-back","facemesh-468","faceplugin-liveness","recapture-1"]',NULL,NULL,NULL,NULL,'{}',1,NULL,NULL,1795741595848,1795741595842,1795741595923);
INSERT INTO "companies" ("id","name","is_system","in_deletion","metadata","created_at","updated_at") VALUES (x'20f5b67fa9b940db8afa57663b56b361','System',1,0,'{}',1795741591017,1795741591017);
INSERT INTO "companies" ("id","name","is_system","in_deletion","metadata","created_at","updated_at") VALUES (x'f1d0c7ce66ef4692965f47bbb39d6113','Banca Română',0,0,'{}',1795741591351,1795741591351);
INSERT INTO "deliveries" ("number","event_id","folder_id","company_id","attempt","status","reason","at") VALUES (1,x'ede6b70e6a3d4da29764bbf10e410cb1',x'4714e018e8aa4e4f9c6a805172ba3dc2',x'f1d0c7ce66ef4692965f47bbb39d6113',1,NULL,'connection_failed',1795741595962);
INSERT INTO "findings" ("medium_number","models","found","template") VALUES (1,'embedded blazeface-back facemesh-468 faceplugin-feature faceplugin-liveness recapture-1 v7 mrz-lines-1 ppocr-v4-det ppocr-v4-rec','{"version":1,"quarterTurns":0,"faces":[{"box":{"x":185.79623937606812,"y":331.8261194229126,"width":347.55125999450684,"height":347.54968643188477},"confidence":0.8358901792067387,"keypoints":{"rightEye":{"x":289.36803817749023,"y":425.7927989959717},"leftEye":{"x":428.4945657849312,"y":428.51266622543335},"nose":{"x":358.4283113479614,"y":514.4928824901581},"mouth":{"x":356.46775245666504,"y":584.8704314231873}}}],"subject":{"quality":{"faceSide":347.55125999450684,"faceShare":0.18640637566373042,"sharpness":0.4448208634297472,"brightness":0.6173959170468152,"underexposed":0,"overexposed":0,"noise":1.3512293042932735,"pose":{"yaw":0.5794694886080272,"pitch":-6.058566272285642,"roll":0.9030228436480942},"eyesHidden":0,"mouthHidden":0,"colour":3.180138662157202,"surroundings":2.0716368572836705,"blockiness":0.8438593792361845},"pad":{"status":"assessed","attack":0.009622435402998763,"replay":0.055604055523872375,"modelIds":["faceplugin-liveness","recapture-1"]},"template":{"status":"extracted","template":{"modelId":"faceplugin-feature-1"}}},"clip":null,"print":[0.07,0.09,0.1,0.1,0.09,0.09,0.09,0.09,0.1,0.1,0.09,0.09,0.07,0.08,0.09,0.06,160.82,163.22,165.05,166.34,167.46,167.91,168.19,167.87,167.3,166.11,164.69,162.73,160.5,157.64,154.62,151.03,162.59,164.94,166.8,168.04,169.19,169.71,166.81,144.42,143.63,164.37,166.5,164.47,162.22,159.41,156.34,152.84,164,166.35,168.18,169.54,170.47,114.19,48.86,39.49,39.6,47.84,110.14,165.58,163.67,160.82,157.82,154.19,165.09,167.42,169.27,170.54,110.41,40.09,39.69,39.56,39.67,39.56,39.87,104.32,164.73,161.91,158.87,155.3,165.6,167.94,169.83,162.98,45.94,148.5,162.91,146.06,145.48,160.55,148.28,44.29,155.64,162.42,159.38,155.8,165.82,168.19,170.1,135.4,83.15,171.25,138.92,176.75,177.07,137.61,167.52,84.19,127.92,162.65,159.61,156.04,165.53,167.86,169.74,136.2,111.48,188.78,165.45,182.81,181.36,163.54,185.32,111.64,128.65,162.34,159.27,155.74,164.84,167.21,169.05,163.76,105.22,184.4,184.74,168.15,166.65,182.27,180.84,104.3,156.62,161.66,158.65,155.03,163.82,166.22,168.07,169.37,127.56,173.9,181.69,150.23,149.35,179.05,171.98,122.84,163.54,160.67,157.64,154.11,162.27,164.61,166.47,167.79,168.9,155.86,176.51,165.63,164.98,174.5,152.94,164.12,161.95,159.11,156.04,152.52,160.45,162.82,164.67,152.76,116.26,90.53,116.46,151.22,150.86,116.4,88.37,112.15,146.63,157.26,154.26,150.68,158.06,160.39,128.99,81.36,80.35,80.51,107.37,140.3,139.83,107.3,78.83,77.76,78.12,121.53,151.84,148.3,155.29,143.99,78.45,78.19,78.82,79.09,80.96,111.54,111.77,80.19,77.46,76.38,75.31,74.51,134.63,145.52,152.25,125.59,76.1,76.74,77.32,77.45,77.66,77.43,77.27,76.59,75.96,74.92,73.94,72.57,116.94,142.47,148.6,142.37,77.85,74.84,75.45,75.55,75.85,75.51,75.38,74.75,74.2,73.2,72.2,73.52,133.15,138.85],"bestShot":{"md5":"f714c9eb89157370f235307ff6fe867c","size":137506,"width":720,"height":960,"mimeType":"image/jpeg"},"actionShot":null,"actionGesture":null}',x'fd028ebc23910f3e47d5cebc026b543ed190a7bde122553d80edab3d11fcb5bdd809733db9e0053ebedb633cc4bb46be4426303ef239cc3c612d09be4623f93df09916be3ad8093e2e9a3a3de20c9abd17d687bd24769d3d70aad4bd99a74bbe39791d3eef055d3dbb62bbbd1acc89bc8b09bdbc474af0bd8224913d3ccd263d14c1c73d1b2786bc26fafbbd5a2a43bdfad488bcf91bbb3d1db2b83c2adcbb3da21ccd3d60a858ba42a0263d83ca863b7f532abef3d9e0bd69f6133e862dbbbd14b8d73d79bf043c545d563d5937f4bdeb43163c2eea92bdf1381bbd5829243df43543bcdc5bc0bb2a9f3e3dfa20c83caacdc7bd082b023da974bf3d8e2f21bd552a123d1a72cdbdf79f133cb8ab173d2912d0bd5cc7fabcc25f8f3d8eb342bcb85b0bbd1af59ebbfdc11b3e737a56bd1afd23be5b82023e73ccf13d8589963b7a9b39bb0a36f93d822e393e84ac9bbd9696883d7a55da3d127555bdfe458bbdae48743d331d663dc126873dfee8c93ddc3d44bd92af683c4638543c6b8b253efa0f2cbd1e34be3bc75a44bd7600f63bfbebb4bcc05dc33d6135a03cab298d3db6362ebd53ec95bdf9c8043d9f42503c514052bd0486d83d95f36ebc084996bce2decf3d5524b33c3962013ee953d6bccc75c2bceccd2a3e6e85fa3bed30433d3d44433b1bd1c83d5d0cd2bb3dfff73ccc8d903da246acbdaf8210bcd307de3cb57216bd04532c3e11fe023cb2663abda4f7b2bdfdf961bda6dc8a3d65be84bdd328be3c28e1f2bc225da03c8c9e013e3d4624bdd786c93b937091bc743e873d9f656b3cedb8f9bc1f9ab7b9925f1ebd8492c83c9dbe143b200aae3a6cee363ac9d6f23bff99d1bcba5ba43bdcaf2c3b5c9f6e3a92d1d03bce5b08bb691da7bb');
INSERT INTO "findings" ("medium_number","models","found","template") VALUES (2,'embedded blazeface-back facemesh-468 faceplugin-feature faceplugin-liveness recapture-1 v7 mrz-lines-1 ppocr-v4-det ppocr-v4-rec','{"version":1,"quarterTurns":0,"faces":[{"box":{"x":122.60114669799805,"y":220.9566068649292,"width":232.62107849121094,"height":232.6199722290039},"confidence":0.8383413572398329,"keypoints":{"rightEye":{"x":191.8659496307373,"y":284.24617290496826},"leftEye":{"x":285.06314873695374,"y":285.77200412750244},"nose":{"x":238.22418212890625,"y":343.73931765556335},"mouth":{"x":237.0322322845459,"y":390.5966854095459}}}],"subject":{"quality":{"faceSide":364.38435591890493,"faceShare":0.17998461712300565,"sharpness":0.4183705350752901,"brightness":0.6032434197370986,"underexposed":0,"overexposed":0,"noise":1.3153270764014233,"pose":{"yaw":0.7022151234469802,"pitch":-6.59014226597822,"roll":0.45451004470772016},"eyesHidden":0,"mouthHidden":0,"colour":2.9775769013268065,"surroundings":1.9759355425243301,"blockiness":0.846138348493421},"pad":{"status":"assessed","attack":0.028314844851560248,"replay":0.0803596954792738,"modelIds":["faceplugin-liveness","recapture-1"]},"template":{"status":"extracted","template":{"modelId":"faceplugin-feature-1"}}},"clip":{"frames":6,"framesWithoutFace":0,"framesTurned":0,"movement":{"status":"measured","frames":6,"own":0.003161267593884111,"uncut":0.003161267593884111,"view":0.0034063421718204664,"tilt":0.001605483082017208,"recurrence":null,"jumpRecurrence":null,"remainder":0.003875911523956536,"blendRemainder":null,"light":0.005918333224321155},"identity":{"frames":6,"facing":6,"agreeing":6,"distance":-13.336348789023642},"repeatedShare":1,"timing":null,"gestures":{"eyes":{"isPerformed":false,"score":0.015339959113207019,"timeS":0.15000000000000002,"peaksS":[]},"smile":{"isPerformed":false,"score":0.02007205580848992,"timeS":0.45,"peaksS":[]},"left":{"isPerformed":false,"score":0.004354084247339281,"timeS":0.15000000000000002,"peaksS":[]},"right":{"isPerformed":false,"score":0.008057361411457194,"timeS":0.05,"peaksS":[]},"high":{"isPerformed":false,"score":0.035364698833706305,"timeS":0.55,"peaksS":[]},"down":{"isPerformed":false,"score":0.02576485717696095,"timeS":0.25,"peaksS":[]},"zoom_in":{"isPerformed":false,"score":0.01330568193602592,"timeS":0.55,"peaksS":[]},"zoom_out":{"isPerformed":false,"score":0,"timeS":0.05,"peaksS":[]},"scan":{"isPerformed":false,"score":0.007446867395277885,"timeS":0.05,"peaksS":[]},"blank":{"isPerformed":true,"score":1,"timeS":0.05},"oneshot":{"isPerformed":true,"score":1,"timeS":0.05},"best":{"isPerformed":true,"score":1,"timeS":0.05}}},"print":null,"bestShot":{"md5":"bf2209cd98931d318a74b9828eea2552","size":137426,"width":720,"height":960,"mimeType":"image/jpeg"},"actionShot":null,"actionGesture":null}',x'272202bdb034053e0b5806bc2b9d4c3e20b1abbd119e663d35cb9b3de4579cbd5ff6413de8121e3ee7843a3c3ead45be08b7323ed025a33cde2702bec3afde3d35f617be4a09003ee9f6443db840b0bd411198bddbb4a53d3775d8bdfaa042bee9b1323ec4da5b3db361a3bd6b6fcabcec6513bd88480abe57f8943d0d49cd3c46f7ba3de398a4bcb63807be8aca30bdf6abc7bcc3a29d3d2ad4d83cf045e33d21d0f23d87ef3fbcd82b833dbbe5653cb11b27be38ece4bd907c0e3ed114abbd606fd63d69b11a3c0dac2a3d27ce07bee0bec93a32a888bd82de10bd38bba73c6e0305bcb3109abc42ce623dc785f83c19e1d4bdfdc6043d6dd5c03d7bd9f9bcab3ee13c57beb9bdf79c6e3c07184e3dfe88f1bd9434abbc5e2e8e3d833af0bb681c2abd8668f53aa422053e76885bbdd0c232be3f93f63d26c0043e1a6fecbb02df853bafa5043eb1f63b3efb3b90bd183c933da23cca3d306d43bd1f838cbd0d26863d6110693d1fe15a3d959ccb3defcc35bdc621a93c683eabb9f4e21a3e1c3d24bd6ee0283c16c11bbd2934da3a1c499bbc6c8bb03d6042e43ca469903d2c40d3bcfed09fbd225a143d21e7093d54bd8abd0deadf3d7d48b8bbe0aaccbc7c32c33dc9a0c43c5e88ff3d39aa0cbd4b9629bcbdb41f3ebec75c3c9094413dbc278f3ce5e7c73d5c4060bc601cd73cc10da03d526794bd62b231394a90033db98728bd38e11d3ec3b5d9b9416901bd6448b7bdcff37fbd347e9b3dffff8dbd62f1f53c38e7efbc2028cd3c0a5be63d550e49bda3258a3b4fb782bc9b33833dc769453c94b4e8bc2a42cbbbe0b020bd499acc3c3a17b73b6eb56f3beb35ccb9c2a0193c5b11c2bcfcd8003cc988d13a01d7a43ad650a73bfdd1d5ba13f1babb');
INSERT INTO "findings" ("medium_number","models","found","template") VALUES (3,'embedded blazeface-back facemesh-468 faceplugin-feature faceplugin-liveness recapture-1 v7 mrz-lines-1 ppocr-v4-det ppocr-v4-rec','{"version":1,"quarterTurns":0,"faces":[{"box":{"x":80.20227938890457,"y":138.01175594329834,"width":140.33315420150757,"height":140.32933473587036},"confidence":0.5472405235592414,"keypoints":{"rightEye":{"x":147.8938588500023,"y":167.90784537792206},"leftEye":{"x":176.17253869771957,"y":189.2325121164322},"nose":{"x":153.20011854171753,"y":202.91817784309387},"mouth":{"x":138.6607700586319,"y":232.69256740808487}}}],"subject":{"quality":{"faceSide":140.33315420150757,"faceShare":0.04325134890027908,"sharpness":1.757344426275556,"brightness":0.8084065589236606,"underexposed":0,"overexposed":0,"noise":0.06854061688444142,"pose":{"yaw":17.905570763192777,"pitch":-3.997816460952142,"roll":38.77024857478916},"eyesHidden":0,"mouthHidden":0,"colour":0.0007817474683897554,"surroundings":4.0760147041137,"blockiness":0.5944701311609343},"pad":{"status":"assessed","attack":0.23040156799989284,"replay":0.2790756821632385,"modelIds":["faceplugin-liveness","recapture-1"]},"template":{"status":"extracted","template":{"modelId":"faceplugin-feature-1"}}},"clip":null,"print":[232,212.41,217.82,232,232,232,232,232,232,232,232,232,232,232,232,232,232,191.58,192.49,232,232,232,232,232,232,232,232,232,232,232,232,232,232,227.24,228.85,232,232,232,232,232,232,232,232,232,232,232,232,232,232,184.07,194.9,213.88,232,232,232,232,232,232,232,232,232,232,232,232,232,219.62,219.35,222.84,232,232,232,232,232,232,232,232,232,232,232,232,232,195.37,198.71,208.34,228.77,232,232,232,232,232,232,232,232,232,232,232,232,198.87,210.79,203.13,225.54,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,208.26,201.84,204.16,201.55,208.5,198.24,205.43,204.56,216.77,216.05,215.69,215.69,215.73,216.52,232,232,205.68,201.41,205.03,205.75,205.23,206.14,210.02,205.9,208.86,205.61,203.87,203.51,215.82,211.75,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232,232],"document":{"zones":[{"lines":[{"characters":[{"symbol":"P","probability":0.9997983547999487,"others":[]},{"symbol":"<","probability":0.9770083958870688,"others":[]},{"symbol":"U","probability":0.9962489088580864,"others":[]},{"symbol":"T","probability":0.9924674413206342,"others":[]},{"symbol":"O","probability":0.9900125995293968,"others":[]},{"symbol":"E","probability":0.9982048625203788,"others":[]},{"symbol":"R","probability":0.9999977051302353,"others":[]},{"symbol":"I","probability":0.9990171240061099,"others":[]},{"symbol":"K","probability":0.9987422425075352,"others":[]},{"symbol":"S","probability":0.9898393278883812,"others":[]},{"symbol":"S","probability":0.948529555341751,"others":[]},{"symbol":"O","probability":0.9921138953785107,"others":[{"symbol":"0","probability":0.0028561499613292476}]},{"symbol":"N","probability":0.9855859811912355,"others":[]},{"symbol":"<","probability":0.9785127403053726,"others":[]},{"symbol":"<","probability":0.9330456825685411,"others":[]},{"symbol":"A","probability":0.9977823276211302,"others":[]},{"symbol":"N","probability":0.9918474320786832,"others":[]},{"symbol":"N","probability":0.9966095274792734,"others":[]},{"symbol":"A","probability":0.9854804293249402,"others":[]},{"symbol":"<","probability":0.9785494072755458,"others":[]},{"symbol":"M","probability":0.9965909122596232,"others":[]},{"symbol":"A","probability":0.9988109418149154,"others":[]},{"symbol":"R","probability":0.999994312925686,"others":[]},{"symbol":"I","probability":0.9986370285216508,"others":[]},{"symbol":"A","probability":0.9891397780730422,"others":[]},{"symbol":"<","probability":0.9431678352095296,"others":[]},{"symbol":"<","probability":0.9156002782179515,"others":[]},{"symbol":"<","probability":0.8811831208749532,"others":[]},{"symbol":"<","probability":0.8621466667604553,"others":[]},{"symbol":"<","probability":0.9133346974955626,"others":[]},{"symbol":"<","probability":0.8681540226791844,"others":[]},{"symbol":"<","probability":0.9346994159062672,"others":[]},{"symbol":"<","probability":0.8615248970898339,"others":[]},{"symbol":"<","probability":0.9027948697586623,"others":[]},{"symbol":"<","probability":0.8764434419953351,"others":[]},{"symbol":"<","probability":0.8953109984643379,"others":[]},{"symbol":"<","probability":0.8973661219247832,"others":[]},{"symbol":"<","probability":0.8677812600511687,"others":[]},{"symbol":"<","probability":0.9095744769611387,"others":[]},{"symbol":"<","probability":0.8860912250784706,"others":[]},{"symbol":"<","probability":0.900269592639529,"others":[]},{"symbol":"<","probability":0.8749535693998545,"others":[]},{"symbol":"<","probability":0.8685850052084076,"others":[]},{"symbol":"<","probability":0.9159467895715357,"others":[]}]},{"characters":[{"symbol":"L","probability":0.9987708478355579,"others":[]},{"symbol":"8","probability":0.9957480317844358,"others":[]},{"symbol":"9","probability":0.997881507400801,"others":[]},{"symbol":"8","probability":0.9992304177179115,"others":[]},{"symbol":"9","probability":0.9800248503388898,"others":[]},{"symbol":"0","probability":0.9985989789351875,"others":[]},{"symbol":"2","probability":0.9981204267880661,"others":[]},{"symbol":"C","probability":0.8532315397074062,"others":[{"symbol":"0","probability":0.13977065415777204}]},{"symbol":"3","probability":0.9998956233234484,"others":[]},{"symbol":"6","probability":0.9976158828988329,"others":[]},{"symbol":"U","probability":0.9917037866041405,"others":[]},{"symbol":"T","probability":0.9903678682761283,"others":[]},{"symbol":"O","probability":0.9960554130774177,"others":[]},{"symbol":"7","probability":0.998597474056246,"others":[]},{"symbol":"4","probability":0.9999927914127964,"others":[]},{"symbol":"0","probability":0.9944095787169898,"others":[{"symbol":"O","probability":0.003381460077141194}]},{"symbol":"8","probability":0.9927259614486583,"others":[]},{"symbol":"1","probability":0.9999357072545625,"others":[]},{"symbol":"2","probability":0.9999822915919159,"others":[]},{"symbol":"2","probability":0.9999788223713328,"others":[]},{"symbol":"F","probability":0.9996080229050874,"others":[]},{"symbol":"1","probability":0.9997771760946228,"others":[]},{"symbol":"2","probability":0.9999524404204829,"others":[]},{"symbol":"0","probability":0.9969027212552561,"others":[{"symbol":"O","probability":0.0024169950819150857}]},{"symbol":"4","probability":0.9999967781132388,"others":[]},{"symbol":"1","probability":0.9999906687475577,"others":[]},{"symbol":"5","probability":0.9999729062732547,"others":[]},{"symbol":"9","probability":0.9998553301942563,"others":[]},{"symbol":"Z","probability":0.9991995830516127,"others":[]},{"symbol":"E","probability":0.9996827610455017,"others":[]},{"symbol":"1","probability":0.9997863293940119,"others":[]},{"symbol":"8","probability":0.9998653794310388,"others":[]},{"symbol":"4","probability":0.9999978610754006,"others":[]},{"symbol":"2","probability":0.9999617089414368,"others":[]},{"symbol":"2","probability":0.9999850116694369,"others":[]},{"symbol":"6","probability":0.9993716981349867,"others":[]},{"symbol":"B","probability":0.9979167989552702,"others":[]},{"symbol":"<","probability":0.9817010236667656,"others":[]},{"symbol":"<","probability":0.8867445244354967,"others":[]},{"symbol":"<","probability":0.9102583675629636,"others":[]},{"symbol":"<","probability":0.8908829086463954,"others":[]},{"symbol":"<","probability":0.967276014612984,"others":[]},{"symbol":"1","probability":0.9998446638892788,"others":[]},{"symbol":"0","probability":0.9933098770722182,"others":[{"symbol":"O","probability":0.004385632396508108}]}]}],"place":[{"x":55.23825585043543,"y":524.0032561906419},{"x":845.3977472672002,"y":522.5456801171331},{"x":846.55819755094,"y":589.3724875536228},{"x":54.1964470647715,"y":589.6248802270288}],"isMirrored":false}],"lines":[{"text":"PASSPORT","confidence":0.9805107712745667,"place":[{"x":58.2851794626971,"y":28.445764810142308},{"x":156.65421320807857,"y":28.445764810142308},{"x":156.65421320807857,"y":49.33208158863221},{"x":58.2851794626971,"y":49.33208158863221}]},{"text":"UTOPIA","confidence":0.9462507764498392,"place":[{"x":57.32191000577072,"y":56.774742011431044},{"x":168.0115056727587,"y":56.774742011431044},{"x":168.0115056727587,"y":84.31215361638903},{"x":57.32191000577072,"y":84.31215361638903}]},{"text":"SURNAME","confidence":0.9847038813999721,"place":[{"x":58.14533260768368,"y":114.2928355647281},{"x":145.45512587281516,"y":114.2928355647281},{"x":145.45512587281516,"y":139.23849078333708},{"x":58.14533260768368,"y":139.23849078333708}]},{"text":"ERIKSSON","confidence":0.9805172234773636,"place":[{"x":58.66886447908158,"y":145.99843645938725},{"x":203.51608731784748,"y":145.99843645938725},{"x":203.51608731784748,"y":171.78685030024656},{"x":58.66886447908158,"y":171.78685030024656}]},{"text":"GIUEN NAMES","confidence":0.9581374824047089,"place":[{"x":59.36260054281635,"y":203.38684347450607},{"x":192.42832824635897,"y":203.38684347450607},{"x":192.42832824635897,"y":226.8428740053728},{"x":59.36260054281635,"y":226.8428740053728}]},{"text":"ANNA MARIA","confidence":0.9400294489330716,"place":[{"x":58.67059478231985,"y":232.7554554033108},{"x":239.65324113913957,"y":234.13700232206514},{"x":239.45473271117143,"y":260.14160638588953},{"x":58.472086354351724,"y":258.7600594671352}]}],"hints":{"isScreen":null,"isCopy":true},"doublePageSpread":false},"bestShot":{"md5":"17b6efc37a194bc790443f037d8e787c","size":53940,"width":900,"height":640,"mimeType":"image/jpeg"},"actionShot":null,"actionGesture":null,"portrait":{"md5":"de914d97e6466cc0e7f3d9d1876e067e","size":12428,"width":267,"height":282,"mimeType":"image/jpeg","thumbnail":{"md5":"284dcabb4ca6b94bbb9cb1d06cea1823","size":2878,"width":120,"height":127,"mimeType":"image/jpeg"}}}',x'2a23fa3d84a644bda5173cbdc399183e82c549bd9c1161be0a4124bec56b2f3df005693dd421163c989df73de63f9e3d0e1a913d73c2a6be11eea63d64cf2fbda55dc8bdfd3014bec91e89bd52d900bec849843ed422083c0823cfbded8e9d3d54294f3d743e8cbd2a761cbe679c05bcd35e39bdb510fdbc8d94ec3d405ab83dd73288bdabe9c8bd10b8b7bb33ff213cac1813bc915fe9bc3b9e0fbea733b23d15d6a23d3cb6b0bda5f80bbd9ef58b3dbcc6b53d948d473dce74353bd81e8f3d3a141ebd564024bde37fd9bd2351063cc44dca3d6d5e1a3c8c11aabdcd62a9bb3dc3503d817e7e3ddb3f6abc177a1e3da7513e3dd76b0abc7568c13d5eb9513c7242ef3c577dee3c4b8ea0bcbf61e1bd2e0c063c26e2203d25fb22be449a203d92fe56bd74eeacbd89dadcbbbaf390bd455b5ebcb6cf823c280db63d58fb6d3d076a023de44d223ebc8680bdb06c1f3ed53cca3c279d883d54a8c63c46b9db3ba6a0c5bdbe32743c65ed26be7bf38c3dce619fbc6af9a53d8aa58e3dd0e1edbcd531b8bc79d30dbefda9123d4ca5c13d29dcbabd0931013d531d25bcffade3bd18b53c3a75aef13d006b88bdcc05963d57d42c3d278fd4bce45ebdbd22cd6d3df80a303d26becf3d398ad7bce510c43df774ccbd49b3cfbc2da8c73d0ff68dbc4dee8a3c0d16143d3929f7bda6c73cbd92e522befe38debc0998a5bd6ffa4cbce66fa83dace7a73c36bea43d807d6a3cf05b9c3ccfcff23d86469e3c8b4adcbc6324b0bd3ce7dbbc8d6a983c46bc9cbba494903da731753c0fc745bd3b650d3de32e313df851d23a00ac063d0b69c3bc3253ff39c303d2bcf12b333d0a07f5bab83dd63be71708bca41892bc8a4f1cbc6fc515ba4fecd53cbe0800bc2550f93a');
INSERT INTO "findings" ("medium_number","models","found","template") VALUES (4,'embedded blazeface-back facemesh-468 faceplugin-feature faceplugin-liveness recapture-1 v7 mrz-lines-1 ppocr-v4-det ppocr-v4-rec','{"version":1,"quarterTurns":0,"faces":[{"box":{"x":185.79623937606812,"y":331.8261194229126,"width":347.55125999450684,"height":347.54968643188477},"confidence":0.8358901792067387,"keypoints":{"rightEye":{"x":289.36803817749023,"y":425.7927989959717},"leftEye":{"x":428.4945657849312,"y":428.51266622543335},"nose":{"x":358.4283113479614,"y":514.4928824901581},"mouth":{"x":356.46775245666504,"y":584.8704314231873}}}],"subject":{"quality":{"faceSide":347.55125999450684,"faceShare":0.18640637566373042,"sharpness":0.4448208634297472,"brightness":0.6173959170468152,"underexposed":0,"overexposed":0,"noise":1.3512293042932735,"pose":{"yaw":0.5794694886080272,"pitch":-6.058566272285642,"roll":0.9030228436480942},"eyesHidden":0,"mouthHidden":0,"colour":3.180138662157202,"surroundings":2.0716368572836705,"blockiness":0.8438593792361845},"pad":{"status":"assessed","attack":0.009622435402998763,"replay":0.055604055523872375,"modelIds":["faceplugin-liveness","recapture-1"]},"template":{"status":"not_run"}},"clip":null,"print":null,"bestShot":{"md5":"f714c9eb89157370f235307ff6fe867c","size":137506,"width":720,"height":960,"mimeType":"image/jpeg"},"actionShot":null,"actionGesture":null}',NULL);
INSERT INTO "folder_leaves" ("owner","path","value","company_id","created_at") VALUES (1,'deep.list.0','1',x'f1d0c7ce66ef4692965f47bbb39d6113',1795741592258);
INSERT INTO "folder_leaves" ("owner","path","value","company_id","created_at") VALUES (1,'deep.list.1','zwei',x'f1d0c7ce66ef4692965f47bbb39d6113',1795741592258);
INSERT INTO "folder_leaves" ("owner","path","value","company_id","created_at") VALUES (1,'deep.list.2','true',x'f1d0c7ce66ef4692965f47bbb39d6113',1795741592258);
INSERT INTO "folder_leaves" ("owner","path","value","company_id","created_at") VALUES (1,'long','12345678901',x'f1d0c7ce66ef4692965f47bbb39d6113',1795741592258);
INSERT INTO "folder_leaves" ("owner","path","value","company_id","created_at") VALUES (1,'order','A-17',x'f1d0c7ce66ef4692965f47bbb39d6113',1795741592258);
INSERT INTO "folder_leaves" ("owner","path","value","company_id","created_at") VALUES (2,'order','A-18',x'f1d0c7ce66ef4692965f47bbb39d6113',1795741595806);
INSERT INTO "folders" ("number","id","company_id","user_id","resolution_endpoint","resolution_status","system_resolution","operator_status","operator_comment","review_author_id","review_at","is_cleared","metadata","created_at","updated_at","analysed","first_analysis_at","last_analysis_at") VALUES (1,x'8f11c01025c44a1b9ae58c1434daf017',x'f1d0c7ce66ef4692965f47bbb39d6113',x'374df62e580f43d482e410df0a5bc05a',NULL,2,0,'DECLINED','drawn',x'acf19d785d4249c88b3b6c85ff2e0795',1795741595765,0,'{"order":"A-17","deep":{"list":[1,"zwei",true]},"long":12345678901}',1795741592258,1795741595765,558128,1795741592258,1795741592258);
INSERT INTO "folders" ("number","id","company_id","user_id","resolution_endpoint","resolution_status","system_resolution","operator_status","operator_comment","review_author_id","review_at","is_cleared","metadata","created_at","updated_at","analysed","first_analysis_at","last_analysis_at") VALUES (2,x'4714e018e8aa4e4f9c6a805172ba3dc2',x'f1d0c7ce66ef4692965f47bbb39d6113',x'374df62e580f43d482e410df0a5bc05a','http://127.0.0.1:9/hook',2,6,NULL,NULL,NULL,NULL,0,'{"order":"A-18"}',1795741595806,1795741595923,524288,1795741595842,1795741595842);
INSERT INTO "folders" ("number","id","company_id","user_id","resolution_endpoint","resolution_status","system_resolution","operator_status","operator_comment","review_author_id","review_at","is_cleared","metadata","created_at","updated_at","analysed","first_analysis_at","last_analysis_at") VALUES (3,x'0e98ae36c9914953974c02a71acbcd64',x'f1d0c7ce66ef4692965f47bbb39d6113',x'374df62e580f43d482e410df0a5bc05a',NULL,3,3,NULL,NULL,NULL,NULL,1,'{}',1795741595983,1795741596003,0,NULL,NULL);
INSERT INTO "media" ("number","id","folder_number","tags","original_name","original","thumbnail","sample","capture","metadata","created_at","updated_at") VALUES (1,x'008be5f9a460438b9b4e8dd6473ba62b',1,'["photo_selfie"]','photo_selfie.jpg','["f714c9eb89157370f235307ff6fe867c",137506,720,960,"image/jpeg"]','["9d80bb746857df12e188ac097c48a598",3358,120,160,"image/jpeg"]','[1,1,0,[347.6,0.1864,0.4448,0.6174,0,0,1.35,0.6,-6.1,0.9,0,0,3.18,2.07,0.84],null]',NULL,'{}',1795741592258,1795741592258);
INSERT INTO "media" ("number","id","folder_number","tags","original_name","original","thumbnail","sample","capture","metadata","created_at","updated_at") VALUES (2,x'016fb550f91a4881ad34b8c29b4428e3',1,'[]','video_selfie_blank.jpg','["fadbcaf67ac44f8fc350412b92cf8a16",825574,720,960,"application/zip",null,6]','["9d80bb746857df12e188ac097c48a598",3358,120,160,"image/jpeg"]','[1,1,0,[364.4,0.18,0.4184,0.6032,0,0,1.32,0.7,-6.6,0.5,0,0,2.98,1.98,0.85],{"frames":6,"framesWithoutFace":0,"framesTurned":0,"movement":{"status":"measured","frames":6,"own":0.003161267593884111,"uncut":0.003161267593884111,"view":0.0034063421718204664,"tilt":0.001605483082017208,"recurrence":null,"jumpRecurrence":null,"remainder":0.003875911523956536,"blendRemainder":null,"light":0.005918333224321155},"identity":{"frames":6,"facing":6,"agreeing":6,"distance":-13.336348789023642},"repeatedShare":1,"timing":null}]',NULL,'{}',1795741592258,1795741592258);
INSERT INTO "media" ("number","id","folder_number","tags","original_name","original","thumbnail","sample","capture","metadata","created_at","updated_at") VALUES (3,x'aa88971159a745dcb2776d59002677e2',1,'[]','photo_id_front.jpg','["17b6efc37a194bc790443f037d8e787c",53940,900,640,"image/jpeg"]','["13417095ce58534d7e211374111dba59",2342,169,120,"image/jpeg"]','[1,1,0,[140.3,0.0433,1.7573,0.8084,0,0,0.07,17.9,-4,38.8,0,0,0,4.08,0.59],null]',NULL,'{}',1795741592258,1795741592258);
INSERT INTO "media" ("number","id","folder_number","tags","original_name","original","thumbnail","sample","capture","metadata","created_at","updated_at") VALUES (4,x'4e65be66dfe94233946713a732ed73fd',2,'[]','photo_selfie.jpg','["f714c9eb89157370f235307ff6fe867c",137506,720,960,"image/jpeg"]','["9d80bb746857df12e188ac097c48a598",3358,120,160,"image/jpeg"]','[1,1,0,[347.6,0.1864,0.4448,0.6174,0,0,1.35,0.6,-6.1,0.9,0,0,3.18,2.07,0.84],null]',NULL,'{}',1795741595806,1795741595806);
INSERT INTO "outbox" ("id","folder_id","company_id","url","attempt","due_at","created_at") VALUES (x'ede6b70e6a3d4da29764bbf10e410cb1',x'4714e018e8aa4e4f9c6a805172ba3dc2',x'f1d0c7ce66ef4692965f47bbb39d6113','http://127.0.0.1:9/hook',2,1795741605306,1795741595923);
INSERT INTO "secrets" ("name","value") VALUES ('access_token_key','25eacba1ff81a2618a57cd4ccb2af6c588fa901b5e4a6ac955d8a4ca51df7167');
INSERT INTO "secrets" ("name","value") VALUES ('session_token_key','-----BEGIN PRIVATE KEY-----
MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAVOH/HxSa/TI0gTEro
6O0Gf4xI45GSQXyvoYq44CDKAoiNZdMZBrVXn1Iy0QosLV6hZANiAASdjWZP6kOL
ePKbh7+S5rTDC/5UuA6+9q1ra9R2uyCIKLSNQ2WrKNzQhTR2SzffUrpDYGt6m+/s
SWI9qJ+R2w8CGpYEZ37pPYu3KZArcFyOngaujcFvtS+00mgyv19MfoA=
-----END PRIVATE KEY-----');
INSERT INTO "secrets" ("name","value") VALUES ('container_key','-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNJ8aXHA3kHJmkMzN
Ps+rZ5uri6KMUfyxsBtp2Oxk1MOhRANCAATZNxt50WpgwiuYaXwhHAmjxZl1lv06
lfJMwietsCjNBWOKuE/5jBt9xmwaPP1Fuw6xCEyUpDSYk96pUbw0sQ9E
-----END PRIVATE KEY-----');
INSERT INTO "sessions" ("number","id","user_id","access_hash","expire_hash","ttl_ms","expires_at","replaces","created_at") VALUES (1,x'6a36c014e8f04894ae4e5183f4e0141a',x'5337a4c0b1ef485693af224ef91344e9','9118c0c98d2f7dab6041ef7376de7605a63b5ecc2ff3b857977e6a271eb3bb07','77ffa60a048a776d8d0efc136c2cfe17f0d0dd8529efaec104081c7e048d1c64',86400000,1795827991327,NULL,1795741591327);
INSERT INTO "sessions" ("number","id","user_id","access_hash","expire_hash","ttl_ms","expires_at","replaces","created_at") VALUES (2,x'9259ae4f1ea049d0b0b5cb4ceee5420d',x'374df62e580f43d482e410df0a5bc05a','b8b790bd390f2f7dd667f16eda72df4c2908d0c93664ce1ea55bc6f01af96e18','56fb9077b27e528ccdfee1e80fe64ab2c4d14bd26cac7b75f645045c6d738040',86400000,1795827991603,NULL,1795741591603);
INSERT INTO "sessions" ("number","id","user_id","access_hash","expire_hash","ttl_ms","expires_at","replaces","created_at") VALUES (3,x'ad517cb76415499a865de99977188491',x'acf19d785d4249c88b3b6c85ff2e0795','8c134df137b9bbed14ac9d469e4e55e555735f8984da774abad76106e376b683','db9129f34851b6899532d7da41e40c19838012997fb2d3c291d683b9196cd4e9',86400000,1795827991820,NULL,1795741591820);
INSERT INTO "sessions" ("number","id","user_id","access_hash","expire_hash","ttl_ms","expires_at","replaces","created_at") VALUES (4,x'f4e7e615d1ad4883bc39dec2ecadd2d9',x'd66f3f2c56b14990a5448e562fdb8cec','9cae591587543afba109525e70156e51766f4db7d283eec2460077dfd2cd91a5','1ccbf116714315e8bbd5f168004bf5d310d880c1356f81f5c48fbbfef8a6739e',3153600000000,4949341592081,NULL,1795741592081);
INSERT INTO "sessions" ("number","id","user_id","access_hash","expire_hash","ttl_ms","expires_at","replaces","created_at") VALUES (5,x'fa964724437f4365b4748a037c362bae',x'd66f3f2c56b14990a5448e562fdb8cec','b9e80e07bf6fef6a462a2414fe3abf07e753077f6434ee974a0bbe4e569f8fbd','56774a70bafa0c783fdfdedab84d142995a1a5a8d5f8d924b1fb24f33fcba437',3153600000000,4949341592109,NULL,1795741592109);
INSERT INTO "usage" ("company_id","day","type","count") VALUES (x'f1d0c7ce66ef4692965f47bbb39d6113','2026-11-27','QUALITY',3);
INSERT INTO "usage" ("company_id","day","type","count") VALUES (x'f1d0c7ce66ef4692965f47bbb39d6113','2026-11-27','BIOMETRY',1);
INSERT INTO "usage" ("company_id","day","type","count") VALUES (x'f1d0c7ce66ef4692965f47bbb39d6113','2026-11-27','COLLECTION',1);
INSERT INTO "usage" ("company_id","day","type","count") VALUES (x'f1d0c7ce66ef4692965f47bbb39d6113','2026-11-27','DOCUMENTS',1);
INSERT INTO "users" ("id","company_id","type","email","password_hash","first_name","last_name","middle_name","may_biometry","may_collection","may_documents","may_quality","is_active","metadata","created_at","updated_at") VALUES (x'5337a4c0b1ef485693af224ef91344e9',x'20f5b67fa9b940db8afa57663b56b361','ADMIN','root@vivace.test','$scrypt$ln=15,r=8,p=1$Wl9gKew2N2PDHiw3BrGCCw$TPK0ARAFKbRTs8e2YNX7kJxALxiZ/qGLWJ68AYtRbBo',NULL,NULL,NULL,1,1,1,1,1,'{}',1795741591019,1795741591019);
INSERT INTO "users" ("id","company_id","type","email","password_hash","first_name","last_name","middle_name","may_biometry","may_collection","may_documents","may_quality","is_active","metadata","created_at","updated_at") VALUES (x'374df62e580f43d482e410df0a5bc05a',x'f1d0c7ce66ef4692965f47bbb39d6113','CLIENT_ADMIN','client_admin@vivace.test','$scrypt$ln=15,r=8,p=1$j6GcbrJcVgnXBg5k9tiH2w$dchr5jSDxKAfXe3GlmtpByg9nKxgpKxiEpeFjW7drU0','Ana',NULL,NULL,1,1,1,1,1,'{}',1795741591381,1795741591381);
INSERT INTO "users" ("id","company_id","type","email","password_hash","first_name","last_name","middle_name","may_biometry","may_collection","may_documents","may_quality","is_active","metadata","created_at","updated_at") VALUES (x'acf19d785d4249c88b3b6c85ff2e0795',x'f1d0c7ce66ef4692965f47bbb39d6113','CLIENT_OPERATOR','client_operator@vivace.test','$scrypt$ln=15,r=8,p=1$YXYsKGzTvPSG6KHuyOijEw$NUEcgF7wlgSgy+iwEZGvG9A2JtfcOx1Hn7w5RkXHH+c','Ana',NULL,NULL,1,1,1,1,1,'{}',1795741591615,1795741591615);
INSERT INTO "users" ("id","company_id","type","email","password_hash","first_name","last_name","middle_name","may_biometry","may_collection","may_documents","may_quality","is_active","metadata","created_at","updated_at") VALUES (x'd66f3f2c56b14990a5448e562fdb8cec',x'f1d0c7ce66ef4692965f47bbb39d6113','CLIENT_SERVICE','client_service@vivace.test','$scrypt$ln=15,r=8,p=1$MhPRXQBnLOAacvsOxHEthw$SyRN0EQmo130spB0o5znrc6QXzeszeCHqjkTPb67kMA','Ana',NULL,NULL,1,1,1,1,1,'{}',1795741591831,1795741591831);
INSERT INTO "webhook_secrets" ("company_id","secret","previous","previous_until","created_at") VALUES (x'f1d0c7ce66ef4692965f47bbb39d6113','whsec_XpLAKVnDzJnXdNpujxdSxxtcjT+TZCJ6x1Ka10FlaNg=',NULL,NULL,1795741595945);
INSERT INTO "collections" ("id","company_id","alias","metadata","templates","removed_before","in_deletion","created_at","updated_at") VALUES (x'b1129b0b995246f98ae14dd5c5152674',x'f1d0c7ce66ef4692965f47bbb39d6113','staff','{"floor":3}',1,0,0,1795741592136,1795741592136);
INSERT INTO "enrolled_templates" ("number","image_id","person_id","collection_id","models","vector","threshold","scale") VALUES (1,x'cd5c9d4c3cf345c19f265794ff7d271a',x'4e75a5c282104e95905855deff99ac40',x'b1129b0b995246f98ae14dd5c5152674','faceplugin-feature-1 cohort-2',x'fd028ebc23910f3e47d5cebc026b543ed190a7bde122553d80edab3d11fcb5bdd809733db9e0053ebedb633cc4bb46be4426303ef239cc3c612d09be4623f93df09916be3ad8093e2e9a3a3de20c9abd17d687bd24769d3d70aad4bd99a74bbe39791d3eef055d3dbb62bbbd1acc89bc8b09bdbc474af0bd8224913d3ccd263d14c1c73d1b2786bc26fafbbd5a2a43bdfad488bcf91bbb3d1db2b83c2adcbb3da21ccd3d60a858ba42a0263d83ca863b7f532abef3d9e0bd69f6133e862dbbbd14b8d73d79bf043c545d563d5937f4bdeb43163c2eea92bdf1381bbd5829243df43543bcdc5bc0bb2a9f3e3dfa20c83caacdc7bd082b023da974bf3d8e2f21bd552a123d1a72cdbdf79f133cb8ab173d2912d0bd5cc7fabcc25f8f3d8eb342bcb85b0bbd1af59ebbfdc11b3e737a56bd1afd23be5b82023e73ccf13d8589963b7a9b39bb0a36f93d822e393e84ac9bbd9696883d7a55da3d127555bdfe458bbdae48743d331d663dc126873dfee8c93ddc3d44bd92af683c4638543c6b8b253efa0f2cbd1e34be3bc75a44bd7600f63bfbebb4bcc05dc33d6135a03cab298d3db6362ebd53ec95bdf9c8043d9f42503c514052bd0486d83d95f36ebc084996bce2decf3d5524b33c3962013ee953d6bccc75c2bceccd2a3e6e85fa3bed30433d3d44433b1bd1c83d5d0cd2bb3dfff73ccc8d903da246acbdaf8210bcd307de3cb57216bd04532c3e11fe023cb2663abda4f7b2bdfdf961bda6dc8a3d65be84bdd328be3c28e1f2bc225da03c8c9e013e3d4624bdd786c93b937091bc743e873d9f656b3cedb8f9bc1f9ab7b9925f1ebd8492c83c9dbe143b200aae3a6cee363ac9d6f23bff99d1bcba5ba43bdcaf2c3b5c9f6e3a92d1d03bce5b08bb691da7bb',1.156527394817564,0.0719313745693757);
INSERT INTO "person_images" ("id","person_id","tags","original_name","original","thumbnail","sample","metadata","created_at","updated_at") VALUES (x'cd5c9d4c3cf345c19f265794ff7d271a',x'4e75a5c282104e95905855deff99ac40','[]','photo.jpg','["f714c9eb89157370f235307ff6fe867c",137506,720,960,"image/jpeg"]','["9d80bb746857df12e188ac097c48a598",3358,120,160,"image/jpeg"]','[1,1,0,[347.6,0.1864,0.4448,0.6174,0,0,1.35,0.6,-6.1,0.9,0,0,3.18,2.07,0.84],null]','{}',1795741592161,1795741592161);
INSERT INTO "persons" ("id","collection_id","metadata","created_at","updated_at") VALUES (x'4e75a5c282104e95905855deff99ac40',x'b1129b0b995246f98ae14dd5c5152674','{}',1795741592161,1795741592161);
INSERT INTO "device_settings" ("key","pattern","settings","created_at","updated_at") VALUES ('sm-a*','SM-A*','{"fps":30}',1795741596539,1795741596539);
INSERT INTO "event_sessions" ("id","company_id","user_id","device","events","created_at","updated_at") VALUES (x'7cfc9dfd42d84c749cd199353edcb368',x'f1d0c7ce66ef4692965f47bbb39d6113',x'd66f3f2c56b14990a5448e562fdb8cec','{"model":"SM-A515F"}',1,1795741596529,1795741596529);
INSERT INTO "session_events" ("number","session_id","name","happened_at","sent","created_at") VALUES (1,x'7cfc9dfd42d84c749cd199353edcb368','start',1700000000500,'{"event":"start","timestamp":1700000000.5}',1795741596529);
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (0,498817,x'00000000000000000000000000000000',0,6,1,'{"17":1}','{"19":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (0,498817,x'00000000000000000000000000000000',1,0,1,'{"17":1}','{"19":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (0,498817,x'00000000000000000000000000000000',2,0,1,'{"17":1}','{}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (0,498817,x'00000000000000000000000000000000',3,6,3,'{"17":2,"7":1}','{"0":2,"4":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (0,498817,x'f1d0c7ce66ef4692965f47bbb39d6113',0,6,1,'{"17":1}','{"19":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (0,498817,x'f1d0c7ce66ef4692965f47bbb39d6113',1,0,1,'{"17":1}','{"19":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (0,498817,x'f1d0c7ce66ef4692965f47bbb39d6113',2,0,1,'{"17":1}','{}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (0,498817,x'f1d0c7ce66ef4692965f47bbb39d6113',3,6,3,'{"17":2,"7":1}','{"0":2,"4":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (1,20784,x'00000000000000000000000000000000',0,6,1,'{"17":1}','{"19":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (1,20784,x'00000000000000000000000000000000',1,0,1,'{"17":1}','{"19":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (1,20784,x'00000000000000000000000000000000',2,0,1,'{"17":1}','{}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (1,20784,x'00000000000000000000000000000000',3,6,3,'{"17":2,"7":1}','{"0":2,"4":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (1,20784,x'f1d0c7ce66ef4692965f47bbb39d6113',0,6,1,'{"17":1}','{"19":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (1,20784,x'f1d0c7ce66ef4692965f47bbb39d6113',1,0,1,'{"17":1}','{"19":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (1,20784,x'f1d0c7ce66ef4692965f47bbb39d6113',2,0,1,'{"17":1}','{}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (1,20784,x'f1d0c7ce66ef4692965f47bbb39d6113',3,6,3,'{"17":2,"7":1}','{"0":2,"4":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (2,24322,x'00000000000000000000000000000000',0,6,1,'{"17":1}','{"19":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (2,24322,x'00000000000000000000000000000000',1,0,1,'{"17":1}','{"19":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (2,24322,x'00000000000000000000000000000000',2,0,1,'{"17":1}','{}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (2,24322,x'00000000000000000000000000000000',3,6,3,'{"17":2,"7":1}','{"0":2,"4":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (2,24322,x'f1d0c7ce66ef4692965f47bbb39d6113',0,6,1,'{"17":1}','{"19":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (2,24322,x'f1d0c7ce66ef4692965f47bbb39d6113',1,0,1,'{"17":1}','{"19":1}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (2,24322,x'f1d0c7ce66ef4692965f47bbb39d6113',2,0,1,'{"17":1}','{}');
INSERT INTO "statistics" ("span","start","company_id","type","resolution","count","latencies","scores") VALUES (2,24322,x'f1d0c7ce66ef4692965f47bbb39d6113',3,6,3,'{"17":2,"7":1}','{"0":2,"4":1}');
INSERT INTO "report_templates" ("id","company_id","name","attachments","metadata_fields","html","created_at","updated_at") VALUES (x'b196f28ff40f4c18ae8f25a91b037364',x'f1d0c7ce66ef4692965f47bbb39d6113','Short',1,'[]',NULL,1795741596031,1795741596031);
INSERT INTO "reports" ("id","folder_id","company_id","user_id","author_id","template_id","template_name","attachments","pdf_size","html_size","created_at") VALUES (x'7bad8f8b454e491990df8a591c82337f',x'8f11c01025c44a1b9ae58c1434daf017',x'f1d0c7ce66ef4692965f47bbb39d6113',x'374df62e580f43d482e410df0a5bc05a',x'374df62e580f43d482e410df0a5bc05a',x'b196f28ff40f4c18ae8f25a91b037364','Short',1,366185,470881,1795741596046);
DELETE FROM sqlite_sequence;
INSERT INTO "sqlite_sequence" ("name","seq") VALUES ('sessions',5);
INSERT INTO "sqlite_sequence" ("name","seq") VALUES ('enrolled_templates',1);
INSERT INTO "sqlite_sequence" ("name","seq") VALUES ('deliveries',1);
INSERT INTO "sqlite_sequence" ("name","seq") VALUES ('session_events',1);
