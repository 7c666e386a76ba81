CREATE TABLE "out_of_service" (
	"tenant_id" text NOT NULL,
	"slot" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"actor" text,
	"reason" text,
	CONSTRAINT "out_of_service_tenant_id_slot_pk" PRIMARY KEY("tenant_id","slot")
);
--> statement-breakpoint
ALTER TABLE "definitions" ADD COLUMN "after_use" text DEFAULT 'ready' NOT NULL;--> statement-breakpoint
ALTER TABLE "definitions" ADD COLUMN "attributes" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "definitions" ADD COLUMN "slot_attributes" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "holders_report" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "out_version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "out_of_service" ADD CONSTRAINT "out_of_service_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;