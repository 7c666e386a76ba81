ALTER TABLE "definitions" ADD COLUMN "bookable" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "max_booking_seconds" integer DEFAULT 86400 NOT NULL;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "bookings_per_requester" integer DEFAULT 100 NOT NULL;