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

  ;; The sums of the four numbers of each of four vectors.
  (func $sums (param $one v128) (param $two v128) (param $three v128) (param $four v128) (result v128)
    (local $a v128) (local $b v128)
    (local.set $a
      (i32x4.add
        (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $one) (local.get $two))
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $one) (local.get $two))))
    (local.set $b
      (i32x4.add
        (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $three) (local.get $four))
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $three) (local.get $four))))
    (i32x4.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $a) (local.get $b))
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $a) (local.get $b))))

  ;; The least that the squared distances of vectors may be, by their codes (`hnsw/code-arena.ts`). They lie in groups
  ;; of four, `size` bytes each, from `groups` on: first four facts of each as 32-bit floats, one kind of fact after the
  ;; other, then, padded with zeros to a multiple of eight, their 8-bit whole numbers: eight of one vector after eight of
  ;; the one before. The query has as many whole numbers of 16 bits. The sum of their products times the first fact, and
  ;; the other facts, are multiplied by the four `factors` and added to `square`. Writes four 32-bit floats a group from
  ;; `out` on.
  (func (export "boundGroups")
    (param $query i32) (param $factors i32) (param $square f32)
    (param $groups i32) (param $count i32) (param $size i32) (param $out i32)
    (local $a i32) (local $c i32) (local $end i32) (local $q v128)
    (local $one v128) (local $two v128) (local $three v128) (local $four v128)
    (block $done
      (loop $each
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $a (local.get $query))
        (local.set $c (i32.add (local.get $groups) (i32.const 64)))
        (local.set $end (i32.add (local.get $groups) (local.get $size)))
        (local.set $one (v128.const i32x4 0 0 0 0))
        (local.set $two (v128.const i32x4 0 0 0 0))
        (local.set $three (v128.const i32x4 0 0 0 0))
        (local.set $four (v128.const i32x4 0 0 0 0))
        (loop $components
          (local.set $q (v128.load (local.get $a)))
          (local.set $one
            (i32x4.add (local.get $one) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s (local.get $c)))))
          (local.set $two
            (i32x4.add (local.get $two) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s offset=8 (local.get $c)))))
          (local.set $three
            (i32x4.add (local.get $three) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s offset=16 (local.get $c)))))
          (local.set $four
            (i32x4.add (local.get $four) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s offset=24 (local.get $c)))))
          (local.set $a (i32.add (local.get $a) (i32.const 16)))
          (local.set $c (i32.add (local.get $c) (i32.const 32)))
          (br_if $components (i32.lt_u (local.get $c) (local.get $end))))
        (v128.store
          (local.get $out)
          (f32x4.add
            (f32x4.add
              (f32x4.splat (local.get $square))
              (f32x4.mul
                (f32x4.mul (v128.load32_splat (local.get $factors)) (v128.load (local.get $groups)))
                (f32x4.convert_i32x4_s
                  (call $sums (local.get $one) (local.get $two) (local.get $three) (local.get $four)))))
            (f32x4.add
              (f32x4.mul (v128.load32_splat offset=4 (local.get $factors)) (v128.load offset=16 (local.get $groups)))
              (f32x4.add
                (f32x4.mul (v128.load32_splat offset=8 (local.get $factors)) (v128.load offset=32 (local.get $groups)))
                (f32x4.mul
                  (v128.load32_splat offset=12 (local.get $factors))
                  (v128.load offset=48 (local.get $groups)))))))
        (local.set $groups (local.get $end))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $each))))

  ;; Which of `count` 32-bit floats, a multiple of four, aren't above a limit: writes where each stands, counted from
  ;; the first on, from `out` on, and answers how many there are.
  (func (export "upTo") (param $values i32) (param $count i32) (param $limit f32) (param $out i32) (result i32)
    (local $at i32) (local $next i32) (local $bits i32)
    (local.set $next (local.get $out))
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $at) (local.get $count)))
        (local.set $bits
          (i32x4.bitmask
            (f32x4.le
              (v128.load (i32.add (local.get $values) (i32.shl (local.get $at) (i32.const 2))))
              (f32x4.splat (local.get $limit)))))
        (block $none
          (loop $bit
            (br_if $none (i32.eqz (local.get $bits)))
            (i32.store (local.get $next) (i32.add (local.get $at) (i32.ctz (local.get $bits))))
            (local.set $next (i32.add (local.get $next) (i32.const 4)))
            (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
            (br $bit)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $each)))
    (i32.shr_u (i32.sub (local.get $next) (local.get $out)) (i32.const 2))))
