/** How `npx drizzle-kit generate` makes the migrations in drizzle/ from the schema. */
import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: [
    './src/store/schema.ts',
    './src/store/historySchema.ts',
    './src/store/issuersSchema.ts',
    './src/store/noticesSchema.ts',
    './src/store/bookingsSchema.ts',
  ],
  out: './drizzle',
});
