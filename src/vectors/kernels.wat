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

  ;; The least that the squared distances of `count` vectors may be, by their codes (`hnsw/code-arena.ts`). From `rows`
  ;; on each has four 32-bit floats, its facts, then 8-bit whole numbers, padded with zeros to a multiple of 32: in all
  ;; `stride` bytes. The query has as many whole numbers of 16 bits. The sum of their products, times `factor` and the
  ;; first fact, is added to `square` and to the facts times four further factors. Writes a 32-bit float for each from
  ;; `out` on.
  (func (export "boundRows")
    (param $query i32) (param $factor f32) (param $factors i32) (param $square f32)
    (param $rows i32) (param $count i32) (param $stride i32) (param $out i32)
    (local $a i32) (local $codes i32) (local $end i32) (local $one v128) (local $two v128) (local $facts v128)
    (block $done
      (loop $each
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $a (local.get $query))
        (local.set $codes (i32.add (local.get $rows) (i32.const 16)))
        (local.set $end (i32.add (local.get $rows) (local.get $stride)))
        (local.set $one (v128.const i32x4 0 0 0 0))
        (local.set $two (v128.const i32x4 0 0 0 0))
        (loop $components
          (local.set $one
            (i32x4.add
              (local.get $one)
              (i32x4.dot_i16x8_s
                (v128.load offset=0 (local.get $a))
                (v128.load8x8_s offset=0 (local.get $codes)))))
          (local.set $two
            (i32x4.add
              (local.get $two)
              (i32x4.dot_i16x8_s
                (v128.load offset=16 (local.get $a))
                (v128.load8x8_s offset=8 (local.get $codes)))))
          (local.set $one
            (i32x4.add
              (local.get $one)
              (i32x4.dot_i16x8_s
                (v128.load offset=32 (local.get $a))
                (v128.load8x8_s offset=16 (local.get $codes)))))
          (local.set $two
            (i32x4.add
              (local.get $two)
              (i32x4.dot_i16x8_s
                (v128.load offset=48 (local.get $a))
                (v128.load8x8_s offset=24 (local.get $codes)))))
          (local.set $a (i32.add (local.get $a) (i32.const 64)))
          (local.set $codes (i32.add (local.get $codes) (i32.const 32)))
          (br_if $components (i32.lt_u (local.get $codes) (local.get $end))))
        (local.set $facts (v128.load (local.get $rows)))
        (local.set $one
          (f32x4.add
            (f32x4.mul
              (f32x4.splat (f32.mul (local.get $factor) (f32x4.extract_lane 0 (local.get $facts))))
              (f32x4.convert_i32x4_s (i32x4.add (local.get $one) (local.get $two))))
            (f32x4.mul (v128.load (local.get $factors)) (local.get $facts))))
        (f32.store
          (local.get $out)
          (f32.add
            (f32.add
              (f32.add (f32x4.extract_lane 0 (local.get $one)) (f32x4.extract_lane 1 (local.get $one)))
              (f32.add (f32x4.extract_lane 2 (local.get $one)) (f32x4.extract_lane 3 (local.get $one))))
            (local.get $square)))
        (local.set $rows (local.get $end))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $each)))))
