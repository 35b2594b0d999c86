DELETE FROM `statistics`;--> statement-breakpoint
-- Counts stored analyses that have ended, as verdicts do: by hour, and from these counts by day and month and for all companies together.
-- The latency of a single request begins with its folder, and has no attempts.
CREATE TABLE `counted` AS
SELECT `hour`, `company_id`, `type`, `resolution`,
	CASE WHEN `latency` IS NOT NULL THEN CASE WHEN `latency` < 10 THEN 0 WHEN `latency` < 14 THEN 1 WHEN `latency` < 20 THEN 2 WHEN `latency` < 28 THEN 3 WHEN `latency` < 40 THEN 4 WHEN `latency` < 57 THEN 5 WHEN `latency` < 80 THEN 6 WHEN `latency` < 113 THEN 7 WHEN `latency` < 160 THEN 8 WHEN `latency` < 226 THEN 9 WHEN `latency` < 320 THEN 10 WHEN `latency` < 453 THEN 11 WHEN `latency` < 640 THEN 12 WHEN `latency` < 905 THEN 13 WHEN `latency` < 1280 THEN 14 WHEN `latency` < 1810 THEN 15 WHEN `latency` < 2560 THEN 16 WHEN `latency` < 3620 THEN 17 WHEN `latency` < 5120 THEN 18 WHEN `latency` < 7241 THEN 19 WHEN `latency` < 10240 THEN 20 WHEN `latency` < 14482 THEN 21 WHEN `latency` < 20480 THEN 22 WHEN `latency` < 28963 THEN 23 WHEN `latency` < 40960 THEN 24 WHEN `latency` < 57926 THEN 25 WHEN `latency` < 81920 THEN 26 WHEN `latency` < 115852 THEN 27 WHEN `latency` < 163840 THEN 28 WHEN `latency` < 231705 THEN 29 WHEN `latency` < 327680 THEN 30 WHEN `latency` < 463410 THEN 31 WHEN `latency` < 655360 THEN 32 WHEN `latency` < 926819 THEN 33 WHEN `latency` < 1310720 THEN 34 WHEN `latency` < 1853638 THEN 35 WHEN `latency` < 2621440 THEN 36 ELSE 37 END END AS `latency`,
	min(19, max(0, CAST(`score` * 20 AS integer))) AS `score`,
	count(*) AS `count`
FROM (
	SELECT `analyses`.`created_at` / 3600000 AS `hour`, `analyses`.`company_id`, `type`, `analyses`.`system_resolution` AS `resolution`,
		CASE WHEN `operator` IS NULL AND `analyses`.`metadata` = '{}' AND length(`media`) > 0 THEN
			`analyses`.`updated_at` - CASE
				WHEN `attempts` > 0 OR coalesce(json_extract(`failure`, '$.code'), 0) > 3100 THEN `analyses`.`created_at`
				ELSE `folders`.`created_at`
			END
		END AS `latency`,
		CASE `type`
			WHEN 3 THEN json_extract(`evidence`, '$.worstAttack')
			WHEN 0 THEN (SELECT min(json_extract(`value`, '$.score')) FROM json_each(`evidence`, '$.pairs'))
			WHEN 1 THEN (
				SELECT max(json_extract(`hit`.`value`, '$.score'))
				FROM json_each(`evidence`, '$.found') AS `medium`, json_each(`medium`.`value`, '$.hits') AS `hit`
			)
		END AS `score`
	FROM `analyses` JOIN `folders` ON `folders`.`number` = `folder_number`
	WHERE `state` <> 2 AND `analyses`.`company_id` IS NOT NULL
)
GROUP BY 1, 2, 3, 4, 5, 6;--> statement-breakpoint
CREATE TABLE `counted_bins` (
	`span` integer NOT NULL,
	`start` integer NOT NULL,
	`company_id` blob NOT NULL,
	`type` integer NOT NULL,
	`resolution` integer NOT NULL,
	`measure` integer NOT NULL,
	`bin` integer NOT NULL,
	`count` integer NOT NULL
);--> statement-breakpoint
-- Measure 0 is the number of analyses, 1 a bin of latencies, 2 a bin of scores.
INSERT INTO `counted_bins`
SELECT 0, `hour`, `company_id`, `type`, `resolution`, 0, 0, sum(`count`) FROM `counted` GROUP BY 2, 3, 4, 5
UNION ALL
SELECT 0, `hour`, `company_id`, `type`, `resolution`, 1, `latency`, sum(`count`) FROM `counted` WHERE `latency` IS NOT NULL GROUP BY 2, 3, 4, 5, 7
UNION ALL
SELECT 0, `hour`, `company_id`, `type`, `resolution`, 2, `score`, sum(`count`) FROM `counted` WHERE `score` IS NOT NULL GROUP BY 2, 3, 4, 5, 7;--> statement-breakpoint
DROP TABLE `counted`;--> statement-breakpoint
INSERT INTO `counted_bins`
SELECT 1, `start` / 24, `company_id`, `type`, `resolution`, `measure`, `bin`, sum(`count`)
FROM `counted_bins` WHERE `span` = 0 GROUP BY 2, 3, 4, 5, 6, 7;--> statement-breakpoint
INSERT INTO `counted_bins`
SELECT 2, 12 * strftime('%Y', `start` * 86400, 'unixepoch') + strftime('%m', `start` * 86400, 'unixepoch') - 1, `company_id`, `type`, `resolution`, `measure`, `bin`, sum(`count`)
FROM `counted_bins` WHERE `span` = 1 GROUP BY 2, 3, 4, 5, 6, 7;--> statement-breakpoint
INSERT INTO `counted_bins`
SELECT `span`, `start`, x'00000000000000000000000000000000', `type`, `resolution`, `measure`, `bin`, sum(`count`)
FROM `counted_bins` GROUP BY 1, 2, 4, 5, 6, 7;--> statement-breakpoint
INSERT INTO `statistics`
SELECT `span`, `start`, `company_id`, `type`, `resolution`,
	sum(`count`) FILTER (WHERE `measure` = 0),
	coalesce(json_group_object(CAST(`bin` AS text), `count`) FILTER (WHERE `measure` = 1), '{}'),
	coalesce(json_group_object(CAST(`bin` AS text), `count`) FILTER (WHERE `measure` = 2), '{}')
FROM `counted_bins` GROUP BY 1, 2, 3, 4, 5;--> statement-breakpoint
DROP TABLE `counted_bins`;
