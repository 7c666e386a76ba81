import { shortCampaign } from '../shortCampaign.ts';

for (const setup of ['cluster', 'sentinel', 'database']) shortCampaign(setup, '1', 30);
