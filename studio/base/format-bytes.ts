const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A number of bytes with its unit: `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}
