CREATE INDEX `event_sessions_company_updated` ON `event_sessions` (`company_id`,`updated_at`);--> statement-breakpoint
CREATE INDEX `event_sessions_updated` ON `event_sessions` (`updated_at`);