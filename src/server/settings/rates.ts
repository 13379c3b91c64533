/** Settings of what clients may do how often, by their addresses and in each database. */
import { DEFAULT_REQUEST_RATES, type Rate, type RequestRates } from '../../catalog/limits/request-rates.js';
import { formatDuration } from '../../value/time/duration.js';
import { Duration } from '../../value/value.js';
import { readRate, type Setting, settingWithDefault } from '../setting.js';

export const RATE_SETTINGS: Readonly<Record<keyof RequestRates, Setting<Rate | undefined>>> = {
  signUps: rate('signUps', '--signup-rate <rate>', 'How many sign-ups in a database from one address'),
  signUpsInDatabase: rate(
    'signUpsInDatabase',
    '--signup-rate-database <rate>',
    'How many sign-ups in a database from all addresses',
  ),
  guestCalls: rate(
    'guestCalls',
    '--guest-rate <rate>',
    'How many calls of the endpoints of a database by guests from one address',
  ),
  guestCallsOfEndpoint: rate(
    'guestCallsOfEndpoint',
    '--guest-rate-endpoint <rate>',
    'How many calls of one endpoint by guests from all addresses',
  ),
  guestCallsInDatabase: rate(
    'guestCallsInDatabase',
    '--guest-rate-database <rate>',
    'How many calls of all endpoints of a database by guests from all addresses',
  ),
};

function rate(name: keyof RequestRates, flag: string, description: string): Setting<Rate | undefined> {
  return settingWithDefault({ flag, description }, rateText(DEFAULT_REQUEST_RATES[name]), readRate);
}

/** In the syntax of `readRate`: `30/1h`. */
function rateText(rate: Rate | undefined): string {
  return rate === undefined ? 'none' : `${rate.burst}/${formatDuration(new Duration(BigInt(rate.burst) * rate.per))}`;
}
