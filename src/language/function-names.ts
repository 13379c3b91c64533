/**
 * The names of built-in functions and constants known to the parser, since any other path is a syntax error. They are
 * implemented in `functions/`, which this room can't see; a test compares both, so that neither has a name of its own.
 */
import { levenshtein } from '../base/levenshtein.js';

/**
 * Constants are in capitals. The order is the reference engine's own: of equally near names it suggests the first one.
 */
export const NAMES = `
  api::invoke api::req::body api::res::body api::res::headers api::res::header api::res::status api::timeout array::boolean_and
  array::boolean_xor array::boolean_not array::boolean_or array::complement array::difference array::find_index
  array::filter_index array::includes array::index_of array::intersect array::is_empty array::logical_and array::logical_or
  array::logical_xor array::prepend array::shuffle array::some array::any array::combine array::concat array::matches
  array::sequence array::sort::desc array::sort_lexical array::sort_natural array::sort_natural_lexical array::swap array::len
  array::every array::fold array::reduce array::remove array::repeat array::reverse array::slice array::pop array::push
  array::sort array::insert array::sort::asc array::transpose array::union array::find array::at array::all array::clump
  array::filter array::fill array::flatten array::group array::join array::last array::distinct array::first array::max
  array::map array::min array::range array::add array::append array::windows bytes::len crypto::argon2::compare
  crypto::argon2::generate crypto::bcrypt::compare crypto::bcrypt::generate crypto::joaat crypto::md5 crypto::pbkdf2::compare
  crypto::pbkdf2::generate crypto::scrypt::compare crypto::scrypt::generate crypto::sha512 crypto::sha1 crypto::blake3
  crypto::sha256 duration::from_hours duration::from_micros duration::from_millis duration::from_secs duration::from_days
  duration::from_mins duration::from_nanos duration::from_weeks duration::hours duration::micros duration::millis
  duration::nanos duration::weeks duration::years duration::MAX duration::days duration::secs duration::mins
  encoding::base64::decode encoding::base64::encode encoding::cbor::encode encoding::cbor::decode file::put_if_not_exists
  file::copy_if_not_exists file::rename_if_not_exists geo::area geo::bearing geo::centroid geo::distance geo::hash::encode
  geo::hash::decode geo::is_valid http::post math::FRAC_2_SQRT_PI math::FRAC_1_SQRT_2 math::FRAC_PI_4 math::FRAC_2_PI
  math::FRAC_1_PI math::FRAC_PI_2 math::FRAC_PI_3 math::FRAC_PI_6 math::FRAC_PI_8 math::interquartile math::lerpangle
  math::LOG2_10 math::midhinge math::nearestrank math::percentile math::rad2deg math::stddev math::tan math::clamp math::LN_2
  math::LOG2_E math::NEG_INF math::sqrt math::abs math::E math::ceil math::lerp math::SQRT_2 math::TAU math::cos math::mode
  math::acot math::acos math::sign math::log10 math::LN_10 math::LOG10_2 math::LOG10_E math::PI math::pow math::product
  math::round math::floor math::variance meta::tb math::ln math::log2 math::deg2rad math::log object::entries
  object::from_entries object::is_empty object::len object::extend object::keys object::remove object::values parse::email::user
  parse::email::host parse::url::domain parse::url::fragment parse::url::path parse::url::host parse::url::query
  parse::url::port parse::url::scheme rand::duration rand::int rand::float rand::string rand::ulid rand::enum rand::id
  rand::bool rand::time rand::uuid rand::uuid::v4 rand::uuid::v7 record::exists record::is_edge record::tb record::id
  record::table schema::table::exists search::analyze search::highlight search::linear search::offsets search::rrf search::score
  sequence::nextval session::ac session::ip session::db session::origin session::token session::ns session::rd session::id
  set::at math::sum math::INF math::asin math::fixed math::max math::min math::sin math::spread math::top math::atan
  math::bottom math::cot math::trimean math::mean math::median set::complement set::contains set::difference set::fold
  set::intersect set::is_empty set::join set::add http::get http::delete http::patch http::put set::len set::flatten set::last
  set::reduce set::slice set::all set::map set::any set::find meta::id set::filter set::first set::remove set::union set::min
  set::max sleep not count rand string::capitalize string::concat string::contains string::distance::damerau_levenshtein
  string::distance::hamming string::distance::levenshtein string::distance::normalized_damerau_levenshtein
  string::distance::normalized_levenshtein string::distance::osa string::ends_with string::html::encode string::html::sanitize
  string::is_alphanum string::is_datetime string::is_hexadecimal string::is_ip string::is_alpha string::is_ascii
  string::is_email string::is_domain string::is_ipv6 string::is_ipv4 string::is_latitude string::is_longitude string::is_numeric
  string::is_record string::is_semver string::is_uuid string::lowercase string::matches string::reverse string::semver::compare
  string::semver::inc::major string::semver::inc::minor string::semver::inc::patch string::semver::major string::semver::minor
  string::semver::patch string::semver::set::major string::semver::set::patch string::semver::set::minor
  string::similarity::fuzzy string::similarity::jaro string::similarity::jaro_winkler string::similarity::smithwaterman
  string::similarity::sorensen_dice string::split string::is_url string::is_ulid string::slug string::starts_with string::trim
  string::join string::slice string::len string::repeat string::replace string::uppercase string::words time::floor
  time::from_micros time::from_nanos time::from_secs time::from_ulid time::from_millis time::from_unix time::from_uuid
  time::is_leap_year time::max file::head file::key file::bucket file::rename http::head time::MAXIMUM time::micros time::round
  time::month time::set_hour time::set_month time::set_nanosecond time::set_second time::set_year time::timezone time::wday
  time::yday time::format time::set_day type::decimal type::duration type::fields type::geometry type::is_array
  type::is_collection type::is_decimal type::is_duration type::is_float type::is_geometry type::is_multiline type::is_multipoint
  type::is_multipolygon type::is_point type::is_int type::is_polygon type::is_record type::record type::table type::bytes
  type::datetime type::is_bytes type::is_datetime type::range type::bool file::copy file::get file::delete type::is_null
  type::is_range type::point type::string type::is_string type::is_none type::is_bool type::is_line type::string_lossy
  type::uuid time::unix time::millis time::nano time::now time::hour time::group time::min time::day time::MINIMUM time::minute
  time::second time::set_minute time::week time::EPOCH time::year time::ceil type::int type::array type::field type::float
  type::is_set type::is_object type::is_uuid type::number type::is_number type::of type::file type::set value::patch value::diff
  file::list file::exists file::put file::may file::url vector::distance::chebyshev vector::distance::euclidean vector::distance::hamming
  vector::distance::knn vector::distance::mahalanobis vector::distance::manhattan vector::distance::minkowski vector::divide
  vector::dot vector::add vector::angle vector::cross vector::magnitude vector::multiply vector::normalize vector::project
  vector::scale vector::similarity::cosine vector::similarity::jaccard vector::similarity::spearman vector::similarity::pearson
  vector::subtract
`
  .trim()
  .split(/\s+/);

/**
 * Names of 2.x, of versions after the one whose table this is, and our own. They are understood but never suggested.
 */
const OTHER_NAMES = [
  'access::identities',
  'crypto::hmac::compare',
  'crypto::hmac::sha256',
  'crypto::hmac::sha512',
  'crypto::totp::code',
  'crypto::totp::secret',
  'crypto::totp::uri',
  'crypto::totp::verify',
  'encoding::json::decode',
  'encoding::json::encode',
  'password::breached',
  'password::common',
  'password::strength',
  'rand::guid',
  'session::sc',
  'string::distance::osa_distance',
  'type::thing',
  'value::quote',
];

const lowered: readonly string[] = NAMES.map((name) => name.toLowerCase());
const constants: ReadonlySet<string> = new Set(lowered.filter((name, index) => name !== NAMES[index]));
const functions: ReadonlySet<string> = new Set([...lowered.filter((name) => !constants.has(name)), ...OTHER_NAMES]);

/** Whether a lower-case path is a function, perhaps in the spelling of 2.x: `type::is::int` is `type::is_int`. */
export function isFunctionName(path: string): boolean {
  return functions.has(path) || functions.has(path.replace(/::(is|from)::/, '::$1_'));
}

/** Whether a lower-case path is a constant. */
export function isConstantName(path: string): boolean {
  return constants.has(path);
}

/** Names that differ in more letters are not suggested. */
const FAR = 3;

/** The name that was perhaps meant by a lower-case path: `math::PI` for `math::pie`. */
export function nearestName(path: string): string | undefined {
  const letters = Array.from(path);
  let best: string | undefined;
  let least = FAR + 1;
  for (const [index, name] of lowered.entries()) {
    if (Math.abs(name.length - letters.length) >= least) continue;
    const distance = levenshtein(letters, Array.from(name));
    if (distance >= least) continue;
    least = distance;
    best = NAMES[index];
  }
  return best;
}
