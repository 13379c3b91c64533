;; Measures packed vectors against one, four components at a time.
;;
;; Vectors are 32-bit floats, padded with zeros to a multiple of eight of them (`stride` bytes). The measures stand in
;; a table, in the order of `KERNEL_NAMES` in `kernels.ts`. For each vector that is measured against the one at `query`
;; a 32-bit float is written from `out` on. Two sums that don't wait for each other keep the processor busy.
;;
;; `scripts/vector-kernels.mjs` assembles this text into `kernels-binary.ts`.
(module
  (memory (export "memory") 1)
  ;; Of the vectors at two addresses; the first ends at the third.
  (type $measure (func (param i32 i32 i32) (result f32)))
  (table funcref (elem $squaredEuclidean $dotProduct $manhattan))

  ;; The four components of a vector, added up.
  (func $total (param $v v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.add (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))

  ;; Σ(aᵢ − bᵢ)²
  (func $squaredEuclidean (param $a i32) (param $b i32) (param $end i32) (result f32)
    (local $one v128) (local $two v128) (local $d v128)
    (loop $components
      (local.set $d (f32x4.sub (v128.load (local.get $a)) (v128.load (local.get $b))))
      (local.set $one (f32x4.add (local.get $one) (f32x4.mul (local.get $d) (local.get $d))))
      (local.set $d (f32x4.sub (v128.load offset=16 (local.get $a)) (v128.load offset=16 (local.get $b))))
      (local.set $two (f32x4.add (local.get $two) (f32x4.mul (local.get $d) (local.get $d))))
      (local.set $a (i32.add (local.get $a) (i32.const 32)))
      (local.set $b (i32.add (local.get $b) (i32.const 32)))
      (br_if $components (i32.lt_u (local.get $a) (local.get $end))))
    (call $total (f32x4.add (local.get $one) (local.get $two))))

  ;; Σ aᵢ bᵢ
  (func $dotProduct (param $a i32) (param $b i32) (param $end i32) (result f32)
    (local $one v128) (local $two v128)
    (loop $components
      (local.set $one (f32x4.add (local.get $one) (f32x4.mul (v128.load (local.get $a)) (v128.load (local.get $b)))))
      (local.set $two
        (f32x4.add
          (local.get $two)
          (f32x4.mul (v128.load offset=16 (local.get $a)) (v128.load offset=16 (local.get $b)))))
      (local.set $a (i32.add (local.get $a) (i32.const 32)))
      (local.set $b (i32.add (local.get $b) (i32.const 32)))
      (br_if $components (i32.lt_u (local.get $a) (local.get $end))))
    (call $total (f32x4.add (local.get $one) (local.get $two))))

  ;; Σ|aᵢ − bᵢ|
  (func $manhattan (param $a i32) (param $b i32) (param $end i32) (result f32)
    (local $one v128) (local $two v128)
    (loop $components
      (local.set $one
        (f32x4.add (local.get $one) (f32x4.abs (f32x4.sub (v128.load (local.get $a)) (v128.load (local.get $b))))))
      (local.set $two
        (f32x4.add
          (local.get $two)
          (f32x4.abs (f32x4.sub (v128.load offset=16 (local.get $a)) (v128.load offset=16 (local.get $b))))))
      (local.set $a (i32.add (local.get $a) (i32.const 32)))
      (local.set $b (i32.add (local.get $b) (i32.const 32)))
      (br_if $components (i32.lt_u (local.get $a) (local.get $end))))
    (call $total (f32x4.add (local.get $one) (local.get $two))))

  ;; Measures `count` vectors that lie one after the other, from `rows` on.
  (func (export "measureRows")
    (param $measure i32) (param $query i32) (param $rows i32) (param $count i32) (param $stride i32) (param $out i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $query) (local.get $stride)))
    (block $done
      (loop $each
        (br_if $done (i32.eqz (local.get $count)))
        (f32.store
          (local.get $out)
          (call_indirect (type $measure) (local.get $query) (local.get $rows) (local.get $end) (local.get $measure)))
        (local.set $rows (i32.add (local.get $rows) (local.get $stride)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $each))))

  ;; Measures `count` of the vectors that lie from `vectors` on: those of which the numbers stand from `slots` on.
  (func (export "measureAt")
    (param $measure i32) (param $query i32) (param $vectors i32) (param $slots i32) (param $count i32)
    (param $stride i32) (param $out i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $query) (local.get $stride)))
    (block $done
      (loop $each
        (br_if $done (i32.eqz (local.get $count)))
        (f32.store
          (local.get $out)
          (call_indirect (type $measure)
            (local.get $query)
            (i32.add (local.get $vectors) (i32.mul (i32.load (local.get $slots)) (local.get $stride)))
            (local.get $end)
            (local.get $measure)))
        (local.set $slots (i32.add (local.get $slots) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $each))))

  ;; One bound of `boundRows`: the sum of the products (in four parts), the facts of the row.
  (func $bound (param $products v128) (param $facts v128) (param $factor f32) (param $factors v128) (result f32)
    (call $total
      (f32x4.add
        (f32x4.mul
          (f32x4.splat (f32.mul (local.get $factor) (f32x4.extract_lane 0 (local.get $facts))))
          (f32x4.convert_i32x4_s (local.get $products)))
        (f32x4.mul (local.get $factors) (local.get $facts)))))

  ;; The least that the squared distances of vectors may be, by their codes (`hnsw/code-arena.ts`). From `rows` on each
  ;; has four 32-bit floats, its facts, then 8-bit whole numbers, padded with zeros to a multiple of eight: in all
  ;; `stride` bytes. The query has as many whole numbers of 16 bits. The sum of their products, times `factor` and the
  ;; first fact, is added to `square` and to the facts times four `factors`. Writes a 32-bit float for each from `out`
  ;; on. Four rows at a time share what is loaded of the query: `count` is a multiple of four.
  (func (export "boundRows")
    (param $query i32) (param $factor f32) (param $factors i32) (param $square f32)
    (param $rows i32) (param $count i32) (param $stride i32) (param $out i32)
    (local $a i32) (local $end i32) (local $q v128) (local $by v128)
    (local $c i32) (local $d i32) (local $e i32) (local $f i32)
    (local $one v128) (local $two v128) (local $three v128) (local $four v128)
    (local.set $by (v128.load (local.get $factors)))
    (block $done
      (loop $each
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $a (local.get $query))
        (local.set $end (i32.add (local.get $rows) (local.get $stride)))
        (local.set $c (i32.add (local.get $rows) (i32.const 16)))
        (local.set $d (i32.add (local.get $c) (local.get $stride)))
        (local.set $e (i32.add (local.get $d) (local.get $stride)))
        (local.set $f (i32.add (local.get $e) (local.get $stride)))
        (local.set $one (v128.const i32x4 0 0 0 0))
        (local.set $two (v128.const i32x4 0 0 0 0))
        (local.set $three (v128.const i32x4 0 0 0 0))
        (local.set $four (v128.const i32x4 0 0 0 0))
        (loop $components
          (local.set $q (v128.load (local.get $a)))
          (local.set $one
            (i32x4.add (local.get $one) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s (local.get $c)))))
          (local.set $two
            (i32x4.add (local.get $two) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s (local.get $d)))))
          (local.set $three
            (i32x4.add (local.get $three) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s (local.get $e)))))
          (local.set $four
            (i32x4.add (local.get $four) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s (local.get $f)))))
          (local.set $a (i32.add (local.get $a) (i32.const 16)))
          (local.set $c (i32.add (local.get $c) (i32.const 8)))
          (local.set $d (i32.add (local.get $d) (i32.const 8)))
          (local.set $e (i32.add (local.get $e) (i32.const 8)))
          (local.set $f (i32.add (local.get $f) (i32.const 8)))
          (br_if $components (i32.lt_u (local.get $c) (local.get $end))))
        (f32.store
          (local.get $out)
          (f32.add
            (local.get $square)
            (call $bound (local.get $one) (v128.load (local.get $rows)) (local.get $factor) (local.get $by))))
        (local.set $rows (i32.add (local.get $rows) (local.get $stride)))
        (f32.store offset=4
          (local.get $out)
          (f32.add
            (local.get $square)
            (call $bound (local.get $two) (v128.load (local.get $rows)) (local.get $factor) (local.get $by))))
        (local.set $rows (i32.add (local.get $rows) (local.get $stride)))
        (f32.store offset=8
          (local.get $out)
          (f32.add
            (local.get $square)
            (call $bound (local.get $three) (v128.load (local.get $rows)) (local.get $factor) (local.get $by))))
        (local.set $rows (i32.add (local.get $rows) (local.get $stride)))
        (f32.store offset=12
          (local.get $out)
          (f32.add
            (local.get $square)
            (call $bound (local.get $four) (v128.load (local.get $rows)) (local.get $factor) (local.get $by))))
        (local.set $rows (i32.add (local.get $rows) (local.get $stride)))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (local.set $count (i32.sub (local.get $count) (i32.const 4)))
        (br $each)))))
