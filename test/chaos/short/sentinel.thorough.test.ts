import { shortCampaign } from '../shortCampaign.ts';

shortCampaign('sentinel', '1', 30);
