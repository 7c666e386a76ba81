ALTER TABLE "jwt_issuers" DROP CONSTRAINT "jwt_issuers_audience";--> statement-breakpoint
DROP INDEX "jwt_issuers_tenant";--> statement-breakpoint
ALTER TABLE "jwt_issuers" ADD CONSTRAINT "jwt_issuers_of_tenant" UNIQUE("tenant_id","issuer","audience");