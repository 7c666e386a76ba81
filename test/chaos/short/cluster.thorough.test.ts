import { shortCampaign } from '../shortCampaign.ts';

shortCampaign('cluster', '1', 30);
