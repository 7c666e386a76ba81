import { shortCampaign } from '../shortCampaign.ts';

shortCampaign('always', '1', 30);
