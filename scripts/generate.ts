/**
 * `npm run generate`: writes every file that is made from the code. A test fails if one is not current.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { DEFAULT_INSTANCE, openapiDocument } from '../src/http/openapi/openapi.ts';
import { clientTypes } from './clientTypes.ts';
import { configurationPage } from './configurationPage.ts';
import { envExample } from './envExample.ts';
import { withErrorTable } from './errorTable.ts';
import { iconsModule } from './icons.ts';
import { labSchema } from './labSchema.ts';
import { llmsText } from './llms.ts';
import { pythonTypes } from './pythonTypes.ts';

const file = (path: string) => new URL(`../${path}`, import.meta.url);
const write = (path: string, text: string) => writeFileSync(file(path), text);

const document = openapiDocument(DEFAULT_INSTANCE);
write('docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`);
write('packages/client/src/generated.ts', await clientTypes(document));
write('packages/python/src/holdfast/_generated.py', pythonTypes(document));
write('docs/lab.schema.json', labSchema(document));
const specification = 'docs/specification.md';
write(specification, withErrorTable(readFileSync(file(specification), 'utf8')));
write('docs/configuration.md', configurationPage());
write('.env.example', envExample());
write('llms.txt', llmsText());
write('src/dashboard/icons.ts', iconsModule());
