-- A sum of bigints that is a bigint itself and fails when it exceeds one. `sum(bigint)` keeps a numeric for each group.
create aggregate read_model.sum_bigint(bigint) (
  sfunc = int8pl, stype = bigint, combinefunc = int8pl, parallel = safe
);
