import { shortCampaign } from '../shortCampaign.ts';

shortCampaign('database', '1', 30);
