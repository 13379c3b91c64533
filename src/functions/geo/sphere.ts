/** Distances, bearings and areas on the Earth. Positions are longitude and latitude in degrees. */
import type { Position, Shape } from '../../value/value.js';

/** The mean radius of the Earth in metres. */
const MEAN_RADIUS = 6_371_008.8;
/** The radius at the equator (WGS 84), which the formula for areas uses. */
const EQUATORIAL_RADIUS = 6_378_137;

const radians = (degrees: number) => degrees * (Math.PI / 180);
const degrees = (radians: number) => radians * (180 / Math.PI);

/** Metres along the great circle (haversine). */
export function greatCircleDistance([lon1, lat1]: Position, [lon2, lat2]: Position): number {
  const latitude = Math.sin(radians(lat2 - lat1) / 2) ** 2;
  const longitude = Math.sin(radians(lon2 - lon1) / 2) ** 2;
  const chord = latitude + Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * longitude;
  return MEAN_RADIUS * 2 * Math.asin(Math.sqrt(chord));
}

/** The direction at the first position towards the second, in degrees clockwise from north, −180 … 180. */
export function bearing([lon1, lat1]: Position, [lon2, lat2]: Position): number {
  const east = radians(lon2) - radians(lon1);
  const [from, to] = [radians(lat1), radians(lat2)];
  const y = Math.sin(east) * Math.cos(to);
  const x = Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(east);
  // Carried into a full turn and back, as the reference engine does, which costs the last digits.
  const turned = (degrees(Math.atan2(y, x)) + 360) % 360;
  return turned > 180 ? turned - 360 : turned;
}

/** Square metres (after Chamberlain and Duquette); of points and lines 0. */
export function area(shape: Shape): number {
  switch (shape.type) {
    case 'Polygon':
      return polygonArea(shape.coordinates);
    case 'MultiPolygon':
      return shape.coordinates.reduce((sum, polygon) => sum + polygonArea(polygon), 0);
    case 'GeometryCollection':
      return shape.geometries.reduce((sum, part) => sum + area(part), 0);
    default:
      return 0;
  }
}

function polygonArea([outer = [], ...holes]: readonly (readonly Position[])[]): number {
  return Math.abs(holes.reduce((left, hole) => left - Math.abs(ringArea(hole)), Math.abs(ringArea(outer))));
}

function ringArea(ring: readonly Position[]): number {
  // The last position is the first one again.
  const count = ring.length - 1;
  if (count < 3) return 0;
  let sum = 0;
  for (let index = 0; index < count; index++) {
    const [before] = ring[index] as Position;
    const [, latitude] = ring[(index + 1) % count] as Position;
    const [after] = ring[(index + 2) % count] as Position;
    sum += (radians(after) - radians(before)) * Math.sin(radians(latitude));
  }
  return (sum * EQUATORIAL_RADIUS * EQUATORIAL_RADIUS) / 2;
}
