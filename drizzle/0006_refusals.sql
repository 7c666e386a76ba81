CREATE TABLE "refusals" (
	"tenant_id" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"counts" jsonb NOT NULL,
	CONSTRAINT "refusals_tenant_id_hour_pk" PRIMARY KEY("tenant_id","hour")
);
--> statement-breakpoint
ALTER TABLE "refusals" ADD CONSTRAINT "refusals_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "refusals_hour" ON "refusals" USING btree ("hour");