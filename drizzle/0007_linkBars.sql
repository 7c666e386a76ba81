CREATE TABLE "link_bars" (
	"tenant_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	CONSTRAINT "link_bars_tenant_id_user_id_pk" PRIMARY KEY("tenant_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "maker" text;--> statement-breakpoint
ALTER TABLE "link_bars" ADD CONSTRAINT "link_bars_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "link_bars" ADD CONSTRAINT "link_bars_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;