/** Content negotiation (RFC 9110, section 12): the formats of request and response. */
import { failure } from '../../errors/error.js';
import { type BodyFormat, FORMATS, JSON_FORMAT } from '../../value/codecs/formats.js';

const OFFERED = FORMATS.map(({ contentType }) => contentType);

/** The media type of a Content-Type, without its parameters. */
export function mediaType(header: string): string {
  const semicolon = header.indexOf(';');
  return (semicolon === -1 ? header : header.slice(0, semicolon)).trim().toLowerCase();
}

/** The format of a body. @throws TesseraError `unsupported_media_type` */
export function requestFormat(contentType: string | undefined): BodyFormat {
  const type = contentType === undefined ? undefined : mediaType(contentType);
  const format = FORMATS.find((known) => known.contentType === type);
  if (format === undefined) throw failure('unsupported_media_type', { accepted: OFFERED });
  return format;
}

/**
 * The format preferred by an Accept header; `preferred` if it accepts both equally.
 * @throws TesseraError `not_acceptable`
 */
export function responseFormat(accept: string | undefined, preferred: BodyFormat = JSON_FORMAT): BodyFormat {
  if (accept === undefined || accept === '*/*' || accept === preferred.contentType) return preferred;
  let best: BodyFormat | undefined;
  let bestQuality = 0;
  for (const format of [preferred, ...FORMATS]) {
    const quality = qualityOf(accept, format.contentType);
    if (quality > bestQuality) {
      best = format;
      bestQuality = quality;
    }
  }
  if (best === undefined) throw failure('not_acceptable', { offered: OFFERED });
  return best;
}

/** RFC 9110 §12.5.1: the most specific range that matches a type decides its quality. */
function qualityOf(accept: string, type: string): number {
  const ranges = [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*'];
  let quality = 0;
  let precision = ranges.length;
  for (const part of accept.split(',')) {
    const match = ranges.indexOf(mediaType(part));
    if (match === -1 || match >= precision) continue;
    precision = match;
    const weight = /;\s*q=([0-9.]+)/i.exec(part)?.[1];
    quality = weight === undefined ? 1 : Number(weight) || 0;
  }
  return quality;
}
