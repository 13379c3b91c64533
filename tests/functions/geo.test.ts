import { checkRows } from './calls.js';

// The calls and what the reference engine answers.
checkRows([
  ["geo::distance({type:'Point',coordinates:[1,2]},(1,2))", '0f'],
  [
    'geo::distance([1,2],(1,2))',
    'Incorrect arguments for function geo::distance(). Argument 1 was the wrong type. Expected `geometry` but found `[1, 2]`',
  ],
  ['geo::area((1,2))', '0f'],
  [
    "geo::area({type:'Polygon',coordinates:[[[0,0],[0,10],[10,10],[10,0],[0,0]],[[1,1],[1,2],[2,2],[2,1],[1,1]]]})",
    '1220533473209.6685f',
  ],
  ["geo::area({type:'Polygon',coordinates:[[[0,0],[0,10],[10,10],[10,0],[0,0]]]})", '1232921098571.2913f'],
  ["geo::area({type:'LineString',coordinates:[[0,0],[0,10],[10,10]]})", '0f'],
  [
    "geo::area({type:'MultiPolygon',coordinates:[[[[0,0],[0,10],[10,10],[10,0],[0,0]]],[[[20,0],[20,10],[30,10],[30,0],[20,0]]]]})",
    '2465842197142.582f',
  ],
  [
    "geo::area({type:'GeometryCollection',geometries:[{type:'Polygon',coordinates:[[[0,0],[0,10],[10,10],[10,0],[0,0]]]},{type:'Point',coordinates:[1,2]}]})",
    '1232921098571.2913f',
  ],
  ['geo::bearing((1,1),(1,1))', '0f'],
  ['geo::bearing((0,0),(0,-1))', '180f'],
  ["geo::bearing({type:'LineString',coordinates:[[0,0],[0,10],[10,10]]},(0,-1))", 'NONE'],
  ['geo::centroid((1,2))', '(1, 2)'],
  ["geo::centroid({type:'LineString',coordinates:[[0,0],[0,10],[10,10]]})", '(2.5, 7.5)'],
  [
    "geo::centroid({type:'Polygon',coordinates:[[[0,0],[0,10],[10,10],[10,0],[0,0]],[[1,1],[1,2],[2,2],[2,1],[1,1]]]})",
    '(5.0353535353535355, 5.0353535353535355)',
  ],
  ["geo::centroid({type:'MultiPoint',coordinates:[[0,0],[0,10],[10,10]]})", '(3.3333333333333335, 6.666666666666667)'],
  [
    "geo::centroid({type:'MultiLineString',coordinates:[[[0,0],[0,10]],[[10,10],[20,20]]]})",
    '(8.786796564403575, 10.857864376269049)',
  ],
  [
    "geo::centroid({type:'MultiPolygon',coordinates:[[[[0,0],[0,10],[10,10],[10,0],[0,0]]],[[[20,0],[20,10],[30,10],[30,0],[20,0]]]]})",
    '(15, 5)',
  ],
  [
    "geo::centroid({type:'GeometryCollection',geometries:[{type:'Polygon',coordinates:[[[0,0],[0,10],[10,10],[10,0],[0,0]]]},{type:'Point',coordinates:[100,2]}]})",
    '(5, 5)',
  ],
  ["geo::centroid({type:'GeometryCollection',geometries:[]})", 'NONE'],
  ["geo::centroid({type:'Polygon',coordinates:[[[0,0],[0,0],[0,0],[0,0]]]})", '(0, 0)'],
  ["geo::centroid({type:'LineString',coordinates:[[1,1],[1,1]]})", '(1, 1)'],
  ['geo::distance((0,0),(1,1))', '157249.59847404022f'],
  ['geo::distance((-0.04592,51.521),(30.46353,50.45537))', '2123279.6072333697f'],
  ["geo::distance((0,0),{type:'LineString',coordinates:[[0,0],[0,10]]})", 'NONE'],
  ['geo::hash::encode((-0.118092,51.509865))', "'gcpvj3448qb1'"],
  ['geo::hash::encode((-0.118092,51.509865),5)', "'gcpvj'"],
  ['geo::hash::encode((200,51.509865),5)', "'zcpvp'"],
  ["geo::hash::encode({type:'LineString',coordinates:[[0,0],[0,10]]},5)", 'NONE'],
  ["geo::hash::decode('mpuxk4s24f51')", '(51.50986494496465, -0.11809204705059528)'],
  ["geo::hash::decode('gcpvj')", '(-0.10986328125, 51.52587890625)'],
  ["geo::hash::decode('')", '(0, 0)'],
  ['geo::hash::decode(1)', 'NONE'],
  ['geo::is_valid((1,2))', 'true'],
  ['geo::is_valid((200,2))', 'false'],
  ["geo::is_valid({type:'LineString',coordinates:[[0,0],[0,0]]})", 'true'],
  ["geo::is_valid({type:'LineString',coordinates:[[0,0]]})", 'true'],
  ["geo::is_valid({type:'Polygon',coordinates:[[[0,0],[10,10],[10,0],[0,10],[0,0]]]})", 'true'],
  [
    "geo::is_valid({type:'Polygon',coordinates:[[[0,0],[0,10],[10,10],[10,0],[0,0]],[[1,1],[1,2],[2,2],[2,1],[1,1]]]})",
    'true',
  ],
  [
    "geo::is_valid({type:'Polygon',coordinates:[[[0,0],[0,10],[10,10],[10,0],[0,0]],[[20,20],[20,21],[21,21],[20,20]]]})",
    'true',
  ],
  [
    "geo::is_valid({type:'Polygon',coordinates:[[[0,0],[0,10],[10,10],[10,0],[0,0]],[[5,5],[5,15],[7,15],[5,5]]]})",
    'true',
  ],
  [
    "geo::is_valid({type:'MultiPolygon',coordinates:[[[[0,0],[0,10],[10,10],[10,0],[0,0]]],[[[5,5],[5,15],[15,15],[15,5],[5,5]]]]})",
    'true',
  ],
  ["geo::is_valid({type:'Polygon',coordinates:[[[0,0],[0,0],[0,0],[0,0]]]})", 'true'],
  ["geo::is_valid({type:'MultiPoint',coordinates:[[0,0],[0,0]]})", 'true'],
]);
