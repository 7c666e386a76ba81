CREATE TYPE "public"."key_permission" AS ENUM('read', 'reserve', 'full');--> statement-breakpoint
CREATE TYPE "public"."role" AS ENUM('viewer', 'member', 'operator', 'owner');--> statement-breakpoint
CREATE TYPE "public"."scope" AS ENUM('keys', 'settings', 'definitions', 'members', 'usage', 'audit');--> statement-breakpoint
CREATE TYPE "public"."tier" AS ENUM('Free', 'Starter', 'Pro', 'Enterprise');--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"tenant_id" text NOT NULL,
	"digest" text NOT NULL,
	"sealed" text NOT NULL,
	"label" text,
	"is_default" boolean DEFAULT false NOT NULL,
	"permission" "key_permission" DEFAULT 'full' NOT NULL,
	"prefix" text DEFAULT '' NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rotated_at" timestamp (3) with time zone,
	CONSTRAINT "api_keys_digest" UNIQUE("digest")
);
--> statement-breakpoint
CREATE TABLE "audit" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"tenant_id" text NOT NULL,
	"actor" text NOT NULL,
	"address" text,
	"action" text NOT NULL,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "definitions" (
	"tenant_id" text NOT NULL,
	"name" text NOT NULL,
	"capacity" integer NOT NULL,
	"blocks" text[] NOT NULL,
	"parent" text,
	"is_group" boolean DEFAULT false NOT NULL,
	"labels" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "definitions_tenant_id_name_pk" PRIMARY KEY("tenant_id","name")
);
--> statement-breakpoint
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
	"maker" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invitations_digest" UNIQUE("digest")
);
--> statement-breakpoint
CREATE TABLE "jwt_issuers" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"tenant_id" text NOT NULL,
	"issuer" text NOT NULL,
	"audience" text NOT NULL,
	"jwks_url" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "jwt_issuers_of_tenant" UNIQUE("tenant_id","issuer","audience")
);
--> statement-breakpoint
CREATE TABLE "link_bars" (
	"tenant_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	CONSTRAINT "link_bars_tenant_id_user_id_pk" PRIMARY KEY("tenant_id","user_id")
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
CREATE TABLE "tenants" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"tier" "tier" NOT NULL,
	"suspended_at" timestamp (3) with time zone,
	"require_registration" boolean DEFAULT false NOT NULL,
	"max_priority" integer DEFAULT 100 NOT NULL,
	"default_ttl_seconds" integer,
	"max_ttl_seconds" integer,
	"require_note" boolean DEFAULT false NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"definitions_version" bigint DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"tenant_id" text,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"email" text,
	"name" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"signed_in_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_identity" UNIQUE("issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "history" (
	"owner" bigint NOT NULL,
	"ended_at" timestamp (3) with time zone NOT NULL,
	"number" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"position" bigint NOT NULL,
	"resource" text NOT NULL,
	"requested_name" text,
	"slots" text[] NOT NULL,
	"requester" text NOT NULL,
	"resource_type" text NOT NULL,
	"is_shared" boolean NOT NULL,
	"api_key_label" text,
	"note" text,
	"waited_ms" bigint,
	"reserved_at" timestamp (3) with time zone,
	"ending" text NOT NULL,
	"actor" text
) PARTITION BY RANGE ("expires_at");
--> statement-breakpoint
CREATE TABLE "history_forever" PARTITION OF "history" FOR VALUES FROM ('infinity') TO (MAXVALUE);
--> statement-breakpoint
CREATE TABLE "history_owners" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" text,
	"entries" bigint DEFAULT 0 NOT NULL,
	"deleted_to" bigint DEFAULT 0 NOT NULL,
	"moved_to" text DEFAULT '0-0' NOT NULL,
	CONSTRAINT "history_owners_tenant" UNIQUE("tenant_id")
);
--> statement-breakpoint
CREATE TABLE "refusals" (
	"tenant_id" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"counts" jsonb NOT NULL,
	CONSTRAINT "refusals_tenant_id_hour_pk" PRIMARY KEY("tenant_id","hour")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "definitions" ADD CONSTRAINT "definitions_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_roles" ADD CONSTRAINT "group_roles_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jwt_issuers" ADD CONSTRAINT "jwt_issuers_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "link_bars" ADD CONSTRAINT "link_bars_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "link_bars" ADD CONSTRAINT "link_bars_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "management_tokens" ADD CONSTRAINT "management_tokens_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenant_usages" ADD CONSTRAINT "tenant_usages_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "history_owners" ADD CONSTRAINT "history_owners_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refusals" ADD CONSTRAINT "refusals_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_tenant" ON "api_keys" USING btree ("tenant_id");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_default" ON "api_keys" USING btree ("tenant_id") WHERE "api_keys"."is_default";--> statement-breakpoint
CREATE INDEX "audit_tenant" ON "audit" USING btree ("tenant_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_tenant_actor" ON "audit" USING btree ("tenant_id","actor","at","id");--> statement-breakpoint
CREATE INDEX "audit_tenant_action" ON "audit" USING btree ("tenant_id","action","at","id");--> statement-breakpoint
CREATE INDEX "audit_at" ON "audit" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "audit_actor" ON "audit" USING btree ("actor","at","id");--> statement-breakpoint
CREATE INDEX "audit_action" ON "audit" USING btree ("action","at","id");--> statement-breakpoint
CREATE INDEX "group_roles_group" ON "group_roles" USING btree ("group");--> statement-breakpoint
CREATE INDEX "invitations_tenant" ON "invitations" USING btree ("tenant_id");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_email" ON "invitations" USING btree ("email","tenant_id");--> statement-breakpoint
CREATE INDEX "management_tokens_tenant" ON "management_tokens" USING btree ("tenant_id");--> statement-breakpoint
CREATE INDEX "members_user" ON "members" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "tenants_changed_at" ON "tenants" USING btree ("changed_at");--> statement-breakpoint
CREATE INDEX "users_tenant" ON "users" USING btree ("tenant_id");--> statement-breakpoint
CREATE INDEX "history_owner" ON "history" USING btree ("owner","ended_at","number");--> statement-breakpoint
CREATE INDEX "history_resource" ON "history" USING btree ("owner",hashtextextended("resource", 0),"ended_at","number");--> statement-breakpoint
CREATE INDEX "history_requester" ON "history" USING btree ("owner",hashtextextended("requester", 0),"ended_at","number");--> statement-breakpoint
CREATE INDEX "history_both" ON "history" USING btree ("owner",hashtextextended("requester", hashtextextended("resource", 0)),"ended_at","number");--> statement-breakpoint
CREATE INDEX "history_owners_deleted" ON "history_owners" USING btree ("id") WHERE "history_owners"."tenant_id" is null;--> statement-breakpoint
CREATE INDEX "refusals_hour" ON "refusals" USING btree ("hour");