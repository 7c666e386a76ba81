CREATE TABLE "notice_choices" (
	"tenant_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"what" text NOT NULL,
	"channels" text[] NOT NULL,
	CONSTRAINT "notice_choices_tenant_id_user_id_what_pk" PRIMARY KEY("tenant_id","user_id","what")
);
--> statement-breakpoint
CREATE TABLE "slack_apps" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"bot_token" text NOT NULL,
	"signing_secret" text NOT NULL,
	"team_id" text NOT NULL,
	"team_name" text NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "slack_links" (
	"tenant_id" text NOT NULL,
	"team_id" text NOT NULL,
	"slack_user_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	CONSTRAINT "slack_links_tenant_id_team_id_slack_user_id_pk" PRIMARY KEY("tenant_id","team_id","slack_user_id"),
	CONSTRAINT "slack_links_user" UNIQUE("tenant_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"kind" text NOT NULL,
	"label" text NOT NULL,
	"types" text[] NOT NULL,
	"prefix" text NOT NULL,
	"enabled" boolean NOT NULL,
	"disabled_reason" text,
	"target" text NOT NULL,
	"host" text,
	"secret" text,
	"previous_secret" text,
	"rotated_at" timestamp (3) with time zone,
	"created_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "ends_soon_seconds" integer DEFAULT 300 NOT NULL;--> statement-breakpoint
ALTER TABLE "notice_choices" ADD CONSTRAINT "notice_choices_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_choices" ADD CONSTRAINT "notice_choices_member" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."members"("tenant_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slack_apps" ADD CONSTRAINT "slack_apps_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slack_links" ADD CONSTRAINT "slack_links_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slack_links" ADD CONSTRAINT "slack_links_member" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."members"("tenant_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "subscriptions_tenant" ON "subscriptions" USING btree ("tenant_id","created_at","id");