ALTER TABLE "jwt_issuers" DROP CONSTRAINT "jwt_issuers_of_tenant";--> statement-breakpoint
ALTER TABLE "jwt_issuers" DROP CONSTRAINT "jwt_issuers_pkey";--> statement-breakpoint
ALTER TABLE "jwt_issuers" ALTER COLUMN "id" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "jwt_issuers" ALTER COLUMN "id" SET DATA TYPE text;--> statement-breakpoint
ALTER TABLE "jwt_issuers" ADD CONSTRAINT "jwt_issuers_tenant_id_id_pk" PRIMARY KEY("tenant_id","id");--> statement-breakpoint
-- Registrations that are there had no conditions, and their tokens the subject as requester.
ALTER TABLE "jwt_issuers" ADD COLUMN "conditions" jsonb DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "jwt_issuers" ADD COLUMN "permission" "key_permission" DEFAULT 'reserve' NOT NULL;--> statement-breakpoint
ALTER TABLE "jwt_issuers" ADD COLUMN "prefix" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "jwt_issuers" ADD COLUMN "max_priority" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "jwt_issuers" ADD COLUMN "requester" text DEFAULT '{sub}' NOT NULL;--> statement-breakpoint
ALTER TABLE "jwt_issuers" ADD COLUMN "instances" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "jwt_issuers" ADD COLUMN "revision" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "jwt_issuers" ALTER COLUMN "conditions" DROP DEFAULT, ALTER COLUMN "permission" DROP DEFAULT, ALTER COLUMN "prefix" DROP DEFAULT, ALTER COLUMN "max_priority" DROP DEFAULT, ALTER COLUMN "requester" DROP DEFAULT, ALTER COLUMN "instances" DROP DEFAULT;
