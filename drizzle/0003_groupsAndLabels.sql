ALTER TABLE "definitions" ADD COLUMN "is_group" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "definitions" ADD COLUMN "labels" jsonb DEFAULT '{}'::jsonb NOT NULL;