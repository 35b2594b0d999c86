-- The summary of a folder's analyses has a bit for each pair of type and verdict, so that filters hold of one analysis.
UPDATE `folders` SET `analysed` = coalesce((
	SELECT sum(DISTINCT 1 << (5 * `type` + CASE `resolution_status` WHEN 0 THEN 0 WHEN 1 THEN 1 WHEN 4 THEN 2 WHEN 5 THEN 3 ELSE 4 END))
	FROM `analyses` WHERE `analyses`.`folder_number` = `folders`.`number`), 0)
WHERE `analysed` <> 0;
