CREATE TABLE "bookings" (
	"tenant_id" text NOT NULL,
	"id" uuid NOT NULL,
	"revision" bigint NOT NULL,
	"ends_at" timestamp (3) with time zone,
	"record" text,
	"written_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "bookings_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
ALTER TABLE "bookings" ADD CONSTRAINT "bookings_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bookings_end" ON "bookings" USING btree ("tenant_id","ends_at");