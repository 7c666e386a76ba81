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
ALTER TABLE "history_owners" ADD CONSTRAINT "history_owners_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "history_owner" ON "history" USING btree ("owner","ended_at","number");--> statement-breakpoint
CREATE INDEX "history_resource" ON "history" USING btree ("owner",hashtextextended("resource", 0),"ended_at","number");--> statement-breakpoint
CREATE INDEX "history_requester" ON "history" USING btree ("owner",hashtextextended("requester", 0),"ended_at","number");--> statement-breakpoint
CREATE INDEX "history_both" ON "history" USING btree ("owner",hashtextextended("requester", hashtextextended("resource", 0)),"ended_at","number");--> statement-breakpoint
CREATE INDEX "history_owners_deleted" ON "history_owners" USING btree ("id") WHERE "history_owners"."tenant_id" is null;