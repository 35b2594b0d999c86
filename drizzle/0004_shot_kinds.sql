-- Pictures that analyses took of their media are stored by their kind instead of the name that answers give them.
UPDATE `analyses` SET `output_images` = replace(replace(`output_images`, '"best.jpeg"', '"best"'), '"ResultImageActionShot.jpeg"', '"action"')
WHERE `output_images` IS NOT NULL;
