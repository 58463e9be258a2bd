cslc --arch=wse3 layout.csl --fabric-dims=15,10 --fabric-offsets=4,1 --params=width:8,height:8,M:128,N:128 -o out --memcpy --channels=1
cs_python run.py --name out
