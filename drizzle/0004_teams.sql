CREATE TYPE "public"."key_permission" AS ENUM('read', 'reserve', 'full');--> statement-breakpoint
CREATE TYPE "public"."role" AS ENUM('viewer', 'member', 'operator', 'owner');--> statement-breakpoint
CREATE TYPE "public"."scope" AS ENUM('keys', 'settings', 'definitions', 'members', 'usage', 'audit');--> statement-breakpoint
CREATE TABLE "group_roles" (
	"tenant_id" text NOT NULL,
	"group" text NOT NULL,
	"role" "role" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "group_roles_tenant_id_group_pk" PRIMARY KEY("tenant_id","group")
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"tenant_id" text NOT NULL,
	"role" "role" NOT NULL,
	"email" text,
	"digest" text,
	"created_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invitations_digest" UNIQUE("digest")
);
--> statement-breakpoint
CREATE TABLE "management_tokens" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"tenant_id" text NOT NULL,
	"digest" text NOT NULL,
	"label" text NOT NULL,
	"scopes" "scope"[] NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "management_tokens_digest" UNIQUE("digest")
);
--> statement-breakpoint
CREATE TABLE "members" (
	"tenant_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"role" "role",
	"group_role" "role",
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "members_tenant_id_user_id_pk" PRIMARY KEY("tenant_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "audit" DROP CONSTRAINT "audit_tenant_id_tenants_id_fk";
--> statement-breakpoint
ALTER TABLE "users" DROP CONSTRAINT "users_tenant_id_tenants_id_fk";
--> statement-breakpoint
DROP INDEX "audit_tenant";--> statement-breakpoint
ALTER TABLE "users" ALTER COLUMN "tenant_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "permission" "key_permission" DEFAULT 'full' NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "prefix" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "audit" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "default_ttl_seconds" integer;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "max_ttl_seconds" integer;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "require_note" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "group_roles" ADD CONSTRAINT "group_roles_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "management_tokens" ADD CONSTRAINT "management_tokens_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "group_roles_group" ON "group_roles" USING btree ("group");--> statement-breakpoint
CREATE INDEX "invitations_tenant" ON "invitations" USING btree ("tenant_id");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_email" ON "invitations" USING btree ("email","tenant_id");--> statement-breakpoint
CREATE INDEX "management_tokens_tenant" ON "management_tokens" USING btree ("tenant_id");--> statement-breakpoint
CREATE INDEX "members_user" ON "members" USING btree ("user_id");--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_tenant_actor" ON "audit" USING btree ("tenant_id","actor","at","id");--> statement-breakpoint
CREATE INDEX "audit_tenant_action" ON "audit" USING btree ("tenant_id","action","at","id");--> statement-breakpoint
CREATE INDEX "audit_at" ON "audit" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "audit_actor" ON "audit" USING btree ("actor","at","id");--> statement-breakpoint
CREATE INDEX "audit_action" ON "audit" USING btree ("action","at","id");--> statement-breakpoint
CREATE INDEX "audit_tenant" ON "audit" USING btree ("tenant_id","at","id");--> statement-breakpoint
CREATE TABLE "tenant_usages" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"reservations" integer NOT NULL,
	"definitions" integer NOT NULL,
	"requests" integer NOT NULL,
	"refusals" integer NOT NULL,
	"active_at" timestamp (3) with time zone,
	"written_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tenant_usages" ADD CONSTRAINT "tenant_usages_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
INSERT INTO "members" ("tenant_id", "user_id", "role") SELECT "tenant_id", "id", 'owner' FROM "users" WHERE "tenant_id" IS NOT NULL;--> statement-breakpoint
UPDATE "audit" SET "actor" = 'person:' || substr("actor", 6) WHERE "actor" LIKE 'user:%';
